package dev.tandem.transfer.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.PageRef;
import dev.tandem.transfer.RegionAllocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RegisteredBufferTest {

    @Test
    void isDividedIntoWholePages() {
        RegisteredBuffer buffer = RegisteredBuffer.allocate(new SmallMemory(), "kv-0", 300, 100);

        assertThat(buffer.pages()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"250, 200 or 300", "301, 300 or 400", "99, 100", "0, 100", "-5, 100"})
    void sizeThatIsNotWholePagesNamesTheNearestThatAre(long bytes, String nearest) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RegisteredBuffer.allocate(new SmallMemory(), "kv-0", bytes, 100))
                .withMessage(
                        "buffer kv-0: %d bytes are not a whole number of pages of 100 bytes; use %s", bytes, nearest);
    }

    @Test
    void nearestSizeAboveIsLeftOutWhereALongCannotHoldIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RegisteredBuffer.allocate(new SmallMemory(), "kv-0", Long.MAX_VALUE, 1L << 40))
                .withMessageEndingWith("use " + (Long.MAX_VALUE / (1L << 40)) * (1L << 40));
    }

    @Test
    void morePagesThanAnIndexCanCountAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RegisteredBuffer.allocate(new SmallMemory(), "kv-0", 1L << 31, 1))
                .withMessage("buffer kv-0: 2147483648 pages, at most 2147483647 are possible");
    }

    @Test
    void pagesOfNoBytesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RegisteredBuffer.allocate(new SmallMemory(), "kv-0", 100, 0))
                .withMessage("buffer kv-0: pages of 0 bytes");
    }

    @Test
    void pageKnowsWhereItIs() {
        var page = new Page(Pool.buffer("kv-0", 3, 100), 2);

        assertThat(page.ref()).isEqualTo(new PageRef("kv-0", 2));
        assertThat(page.offset()).isEqualTo(200);
    }

    @Test
    void offsetOfAPageBeyondTwoGibibytesIsNotCutOff() {
        var region = new MemoryRegion("kv-0", MemorySegment.NULL.reinterpret(1L << 40), MemoryKind.DEVICE);

        assertThat(new Page(new RegisteredBuffer(region, 1L << 30), 1000).offset())
                .isEqualTo(1000L << 30);
    }

    @Test
    void segmentOfAPageIsItsFirstBytesInPlace() {
        // Given
        RegisteredBuffer buffer = Pool.buffer("kv-0", 3, 100);

        // When
        new Page(buffer, 1).segment(10).fill((byte) 7);

        // Then
        var bytes = buffer.region().segment().toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < bytes.length; i++) {
            assertThat(bytes[i]).as("byte %d", i).isEqualTo((byte) (i >= 100 && i < 110 ? 7 : 0));
        }
    }

    @Test
    void pageBeyondTheBufferIsNamedWithTheLimit() {
        RegisteredBuffer buffer = Pool.buffer("kv-0", 800, 1);

        assertThatThrownBy(() -> new Page(buffer, 812))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("page 812 of buffer kv-0: it has 800");
    }

    @Test
    void segmentLargerThanThePageIsRefused() {
        var page = new Page(Pool.buffer("kv-0", 3, 100), 1);

        assertThatThrownBy(() -> page.segment(101))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("101 bytes of page 1 of buffer kv-0: it has 100");
    }

    private static final class SmallMemory implements RegionAllocator {

        @Override
        public MemoryRegion allocate(String id, long bytes) {
            return new MemoryRegion(id, Arena.ofAuto().allocate(bytes), MemoryKind.HOST);
        }

        @Override
        public void close() {}
    }
}
