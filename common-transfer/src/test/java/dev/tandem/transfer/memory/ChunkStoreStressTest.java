package dev.tandem.transfer.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.TransferException;

import static org.assertj.core.api.Assertions.assertThat;

/** Many threads in a small pool: contents never mix, nobody waits for ever, nothing is left behind. */
@Timeout(60)
class ChunkStoreStressTest {

    private static final int THREADS = 8;
    private static final int ROUNDS = 400;
    private static final int PAGES = 16;
    private static final int KEYS = 40;
    private static final long PAGE_BYTES = 512;
    private static final long SEED = 20_260_801;
    /** Much longer than any test takes: a waiter that nobody woke must not be saved by its deadline. */
    private static final Duration FOR_EVER = Duration.ofHours(1);

    private final List<RegisteredBuffer> buffers =
            List.of(Pool.buffer("kv-0", PAGES / 2, PAGE_BYTES), Pool.buffer("kv-1", PAGES / 2, PAGE_BYTES));
    private final ChunkStore store = new ChunkStore(buffers, System::nanoTime);

    @Test
    void contentsNeverMix() throws Exception {
        var chunksRead = new AtomicInteger();

        inEveryThread(thread -> {
            var random = new SplittableRandom(SEED + thread);
            for (int round = 0; round < ROUNDS; round++) {
                List<ChunkKey> keys = randomKeys(random);
                write(keys, random);
                chunksRead.addAndGet(read(keys));
            }
        });

        assertThat(chunksRead.get()).as("seed %d", SEED).isPositive();
        assertBaseline();
    }

    @Test
    void requestsThatEachNeedMoreThanHalfThePoolAllEnd() throws Exception {
        inEveryThread(thread -> {
            for (int round = 0; round < ROUNDS; round++) {
                List<ChunkKey> keys =
                        keys(IntStream.range(0, PAGES / 2 + 1 + thread % 4).map(chunk -> chunk + 100 * (thread + 1)));
                try (Allocation allocation = allocate(keys, FOR_EVER)) {
                    allocation.commit(0);
                }
            }
        });

        assertBaseline();
    }

    @Test
    void interruptsAndDeadlinesLeaveNothingBehind() throws Exception {
        var ends = new AtomicInteger();

        // With half of the pool gone, larger requests wait in vain.
        try (Allocation _ = allocate(keys(IntStream.range(KEYS, KEYS + PAGES / 2)), Duration.ZERO)) {
            inEveryThread(thread -> {
                var random = new SplittableRandom(SEED + thread);
                for (int round = 0; round < ROUNDS; round++) {
                    if (random.nextInt(4) == 0) {
                        Thread.currentThread().interrupt();
                    }
                    Duration wait = Duration.ofNanos(random.nextInt(200_000));
                    try (Allocation allocation = allocate(randomKeys(random), wait)) {
                        allocation.quarantine();
                    } catch (TransferException | InterruptedException e) {
                        ends.incrementAndGet();
                    }
                    boolean _ = Thread.interrupted();
                }
            });
        }

        assertThat(ends.get()).as("seed %d", SEED).isPositive();
        assertBaseline();
    }

    private void write(List<ChunkKey> keys, SplittableRandom random) throws InterruptedException {
        try (Allocation allocation = allocate(keys, FOR_EVER)) {
            for (int chunk = 0; chunk < keys.size(); chunk++) {
                if (!allocation.present(chunk)) {
                    write(allocation, chunk);
                }
                if (random.nextInt(20) == 0) {
                    allocation.quarantine();
                }
                CommitOutcome outcome = allocation.commit(chunk);
                if (outcome != CommitOutcome.REFUSED) {
                    verify(allocation.page(chunk), keys.get(chunk));
                }
            }
        }
    }

    private void write(Allocation allocation, int chunk) {
        Page page = allocation.page(chunk);
        if (store.beginWrite(page.region().id(), page.offset(), PAGE_BYTES, allocation.token(chunk))) {
            MemorySegment segment = page.segment(PAGE_BYTES);
            for (long offset = 0; offset < PAGE_BYTES; offset += Long.BYTES) {
                segment.set(
                        ValueLayout.JAVA_LONG_UNALIGNED,
                        offset,
                        pattern(allocation.keys().get(chunk)));
            }
            store.endWrite(page.region().id(), page.offset());
        }
    }

    private int read(List<ChunkKey> keys) {
        try (Lease lease = store.lease(keys)) {
            for (int chunk = 0; chunk < lease.size(); chunk++) {
                verify(lease.page(chunk), keys.get(chunk));
            }
            return lease.size();
        }
    }

    private static void verify(Page page, ChunkKey key) {
        MemorySegment segment = page.segment(PAGE_BYTES);
        for (long offset = 0; offset < PAGE_BYTES; offset += Long.BYTES) {
            if (segment.get(ValueLayout.JAVA_LONG_UNALIGNED, offset) != pattern(key)) {
                throw new AssertionError("seed %d: %s does not hold %s at %d".formatted(SEED, page, key, offset));
            }
        }
    }

    private static long pattern(ChunkKey key) {
        return key.hashCode() * 0x9E3779B97F4A7C15L;
    }

    private Allocation allocate(List<ChunkKey> keys, Duration wait) throws InterruptedException {
        var bytes = new long[keys.size()];
        Arrays.fill(bytes, PAGE_BYTES);
        return store.allocate(keys, bytes, Deadline.after(wait));
    }

    private static List<ChunkKey> randomKeys(SplittableRandom random) {
        return keys(random.ints(0, KEYS).distinct().limit(random.nextInt(1, PAGES)));
    }

    private static List<ChunkKey> keys(IntStream numbers) {
        return numbers.mapToObj(number -> new ChunkKey("k" + number)).toList();
    }

    private void assertBaseline() {
        for (StoredChunk chunk : store.chunks(0, PAGES)) {
            assertThat(store.evict(chunk.key())).isTrue();
        }
        assertThat(store.counts()).isEqualTo(new PageCounts(PAGES, PAGES, 0, 0, 0, 0));
    }

    private interface Body {
        void run(int thread) throws Exception;
    }

    private static void inEveryThread(Body body) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> results = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                results.add(threads.submit(() -> {
                    body.run(number);
                    return null;
                }));
            }
            try {
                for (Future<?> result : results) {
                    result.get(30, TimeUnit.SECONDS);
                }
            } finally {
                threads.shutdownNow();
            }
        }
    }
}
