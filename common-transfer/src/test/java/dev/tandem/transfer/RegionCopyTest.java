package dev.tandem.transfer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RegionCopyTest {

    @Test
    void hostCopiesMoveBytesBothWaysAndNotBeyondTheRegion() {
        try (Arena arena = Arena.ofConfined()) {
            MemoryRegion region = new MemoryRegion("region", arena.allocate(10), MemoryKind.HOST);
            MemorySegment three = arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) 1, (byte) 2, (byte) 3);
            MemorySegment found = arena.allocate(5);

            RegionCopy.HOST.copyIn(three, region, 4);
            RegionCopy.HOST.copyOut(region, 3, found);

            assertThat(found.toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 1, 2, 3, 0);
            assertThatThrownBy(() -> RegionCopy.HOST.copyIn(three, region, 8))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> RegionCopy.HOST.copyOut(region, 6, found))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }
}
