package dev.tandem.transfer.channel.tcp;

import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;

import static org.assertj.core.api.Assertions.assertThat;

/** The check before a byte lands, against one that computes without overflow. */
class EntryTableTest {

    private static final long[] SIZES = {1, 4096, 3L << 30};
    private static final long[] EDGES = {
        Long.MIN_VALUE, -1, 0, 1, 2, 4095, 4096, 4097, 1L << 31, 3L << 30, (3L << 30) + 1, Long.MAX_VALUE
    };

    @Test
    void admitsExactlyWhatLiesInItsRegionAndAddsUp() {
        long seed = 99;
        var random = new SplittableRandom(seed);
        var regions = new LocalRegions();
        for (int i = 0; i < SIZES.length; i++) {
            regions.add(new MemoryRegion(
                    "kv-" + i, MemorySegment.ofAddress(1 << 20).reinterpret(SIZES[i]), MemoryKind.HOST));
        }
        int admitted = 0;
        for (int round = 0; round < 5000; round++) {
            RawBatch batch = random(random);

            boolean admits = admits(batch, regions);

            assertThat(admits).as("seed %d, round %d: %s", seed, round, batch).isEqualTo(holds(batch));
            admitted += admits ? 1 : 0;
        }
        assertThat(admitted).isBetween(200, 4800);
    }

    private static RawBatch random(SplittableRandom random) {
        var table = new ArrayList<RawBatch.Entry>();
        for (int left = random.nextInt(4); left > 0; left--) {
            int region = random.nextInt(10) == 0 ? random.nextInt(-2, 5) : random.nextInt(SIZES.length);
            table.add(RawBatch.entry(region, number(random), number(random)));
        }
        RawBatch batch = RawBatch.write(table);
        return random.nextInt(5) == 0 ? batch.withTotal(number(random)) : batch;
    }

    private static long number(SplittableRandom random) {
        return random.nextBoolean() ? random.nextLong(5000) : EDGES[random.nextInt(EDGES.length)];
    }

    private static boolean admits(RawBatch batch, LocalRegions regions) {
        var bytes = batch.toBytes();
        var entries = new EntryTable();
        try {
            BatchHeader header = BatchHeader.read(bytes, 1, 16);
            entries.room(header.entries()).put(bytes.position(BatchHeader.BYTES));
            entries.check(header, regions);
            return true;
        } catch (InvalidBatchException e) {
            return false;
        }
    }

    private static boolean holds(RawBatch batch) {
        BigInteger total = BigInteger.ZERO;
        for (RawBatch.Entry entry : batch.table()) {
            boolean known = entry.region() >= 0 && entry.region() < SIZES.length;
            if (!known || entry.offset() < 0 || entry.bytes() < 1) {
                return false;
            }
            BigInteger end = BigInteger.valueOf(entry.offset()).add(BigInteger.valueOf(entry.bytes()));
            if (end.compareTo(BigInteger.valueOf(SIZES[entry.region()])) > 0) {
                return false;
            }
            total = total.add(BigInteger.valueOf(entry.bytes()));
        }
        return total.equals(BigInteger.valueOf(batch.totalBytes()));
    }
}
