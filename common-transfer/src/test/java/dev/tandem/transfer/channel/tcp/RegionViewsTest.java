package dev.tandem.transfer.channel.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;

import static org.assertj.core.api.Assertions.assertThat;

class RegionViewsTest {

    private static final long WINDOW = 1024;

    @Test
    void piecesCoverARegionThatIsLargerThanAWindow() {
        long seed = 3;
        var random = new SplittableRandom(seed);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(5 * WINDOW + 100);
            var regions = new LocalRegions();
            regions.add(new MemoryRegion("kv-0", memory, MemoryKind.HOST));
            var views = new RegionViews(regions, WINDOW);
            for (long i = 0; i < memory.byteSize(); i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
            }
            for (int round = 0; round < 500; round++) {
                long from = random.nextLong(memory.byteSize());
                long end = random.nextLong(from, memory.byteSize()) + 1;

                byte[] copied = copy(views, from, end);

                assertThat(copied)
                        .as("seed %d: %d..%d", seed, from, end)
                        .isEqualTo(memory.asSlice(from, end - from).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    private static byte[] copy(RegionViews views, long from, long end) {
        ByteBuffer copy = ByteBuffer.allocate((int) (end - from));
        for (long at = from; at < end; ) {
            ByteBuffer piece = views.piece(0, at, Math.min(end - at, 700));
            at += piece.remaining();
            copy.put(piece);
        }
        return copy.array();
    }

    @Test
    void viewsAreMadeOnce() {
        try (Arena arena = Arena.ofConfined()) {
            var regions = new LocalRegions();
            for (int i = 0; i < 10; i++) {
                regions.add(new MemoryRegion("kv-" + i, arena.allocate(3 * WINDOW), MemoryKind.HOST));
            }
            var views = new RegionViews(regions, WINDOW);

            assertThat(views.piece(9, 2 * WINDOW, 1)).isSameAs(views.piece(9, 2 * WINDOW + 7, 100));
        }
    }
}
