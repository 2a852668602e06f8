package dev.tandem.transfer.memory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.memory.StoreModel.Held;
import dev.tandem.transfer.memory.StoreModel.Part;
import dev.tandem.transfer.memory.StoreModel.Stage;

import static org.assertj.core.api.Assertions.assertThat;

/** Does the same random operations to a store and to a naive model of it, and compares them after each. */
class ChunkStoreModelTest {

    private static final int RUNS = 10;
    private static final int STEPS = 1_000;
    private static final int PAGES = 10;
    private static final int KEYS = 18;

    @Test
    void storeDoesWhatTheModelDoes() throws Exception {
        for (long seed = 1; seed <= RUNS; seed++) {
            var run = new Run(seed);
            try {
                for (int step = 0; step < STEPS; step++) {
                    run.step();
                    run.compare();
                    run.model.forget();
                }
                run.letGoOfEverything();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed %d after %s".formatted(seed, run.lastSteps()), e);
            }
        }
    }

    private record Leased(Lease real, List<ChunkKey> keys) {}

    private record Read(Page page, ChunkKey key) {}

    private static final class Run {

        private final Random random;
        private final Pool pool = new Pool(6, 4);
        private final StoreModel model = new StoreModel(PAGES);
        private final List<Leased> leases = new ArrayList<>();
        private final List<Read> reads = new ArrayList<>();
        private final List<String> steps = new ArrayList<>();

        Run(long seed) {
            random = new Random(seed);
        }

        String lastSteps() {
            return steps.size() + " steps, the last being "
                    + steps.subList(Math.max(0, steps.size() - 10), steps.size());
        }

        void step() throws InterruptedException {
            switch (random.nextInt(12)) {
                case 0, 1 -> allocate(randomKeys());
                case 2 -> lease(randomKeys());
                case 3 -> closeLease();
                case 4 -> evict(randomKey());
                case 5 -> beginRead(pool.pages.get(random.nextInt(PAGES)));
                case 6 -> endRead();
                default -> oneOf(model.allocations).ifPresent(this::use);
            }
        }

        private void use(Held held) {
            int chunk = held.parts.isEmpty() ? -1 : random.nextInt(held.parts.size());
            switch (random.nextInt(chunk < 0 ? 2 : 12)) {
                case 0 -> close(held);
                case 1 -> quarantine(held);
                case 2, 3 -> endWrite(held, held.parts.get(chunk));
                case 4, 5, 6 -> beginWrite(held, chunk);
                default -> commit(held, chunk);
            }
        }

        private void allocate(List<ChunkKey> keys) throws InterruptedException {
            steps.add("allocate " + keys);
            boolean tooLarge = new HashSet<>(keys).size() > PAGES;
            boolean fits = model.fits(keys);
            try {
                Allocation real =
                        pool.allocate(keys.stream().map(ChunkKey::value).toArray(String[]::new));
                assertThat(fits).isTrue();
                verifyNew(model.take(keys, real));
            } catch (TransferException e) {
                assertThat(fits && !tooLarge)
                        .as("%s although it fits", e.code())
                        .isFalse();
                assertThat(e.code()).isEqualTo(tooLarge ? ErrorCode.TOO_LARGE : ErrorCode.POOL_FULL);
            }
        }

        private void verifyNew(Held held) {
            for (int chunk = 0; chunk < held.parts.size(); chunk++) {
                Part part = held.parts.get(chunk);
                boolean reserved = part.stage == Stage.RESERVED && held.parts.indexOf(part) == chunk;
                assertThat(held.real.present(chunk)).isEqualTo(!reserved);
                assertThat(held.real.token(chunk) > 0).isEqualTo(reserved);
            }
        }

        private void beginWrite(Held held, int chunk) {
            steps.add("begin write " + held.parts.get(chunk).key);
            Part part = held.parts.get(chunk);
            long token = held.real.token(chunk) + (random.nextInt(8) == 0 ? 1 : 0);
            boolean right = token != 0 && token == held.real.token(chunk);
            boolean admitted = pool.beginWrite(part.page, token);
            assertThat(admitted).isEqualTo(right && part.stage == Stage.RESERVED && !part.writing);
            part.writing |= admitted;
        }

        private void endWrite(Held held, Part part) {
            if (part.writing) {
                steps.add("end write " + part.key);
                pool.endWrite(part.page);
                model.endWrite(held, part);
            }
        }

        private void commit(Held held, int chunk) {
            steps.add("commit " + held.parts.get(chunk).key);
            assertThat(held.real.commit(chunk)).isEqualTo(model.commit(held, chunk));
        }

        private void quarantine(Held held) {
            steps.add("quarantine " + held.real.keys());
            held.real.quarantine();
            model.quarantine(held);
        }

        private void close(Held held) {
            steps.add("close " + held.real.keys());
            held.real.close();
            model.close(held);
        }

        private void lease(List<ChunkKey> keys) {
            steps.add("lease " + keys);
            int run = model.leadingRun(keys);
            assertThat(pool.store.present(keys)).isEqualTo(run);
            var leased = new Leased(pool.store.lease(keys), keys.subList(0, run));
            assertThat(leased.real.size()).isEqualTo(run);
            leased.keys.reversed().forEach(model::pin);
            leases.add(leased);
        }

        private void closeLease() {
            oneOf(leases).ifPresent(leased -> {
                steps.add("close lease " + leased.keys);
                leased.real.close();
                leased.keys.reversed().forEach(model::unpin);
                leases.remove(leased);
            });
        }

        private void evict(ChunkKey key) {
            steps.add("evict " + key);
            assertThat(pool.store.evict(key)).isEqualTo(model.evict(key));
        }

        private void beginRead(Page page) {
            steps.add("begin read " + page);
            Optional<ChunkKey> key = model.at(page);
            assertThat(pool.beginRead(page)).isEqualTo(key.isPresent());
            key.ifPresent(read -> {
                model.pin(read);
                reads.add(new Read(page, read));
            });
        }

        private void endRead() {
            oneOf(reads).ifPresent(read -> {
                steps.add("end read " + read.page);
                pool.endRead(read.page);
                model.unpin(read.key);
                reads.remove(read);
            });
        }

        /** What must hold at any time. */
        void compare() {
            PageCounts counts = pool.store.counts();
            assertThat(counts).isEqualTo(model.counts());
            assertThat(counts.free() + counts.reserved() + counts.committed() + counts.quarantined())
                    .isEqualTo(PAGES);
            assertThat(model.pagesInHands()).doesNotHaveDuplicates();
            assertThat(pool.store.chunks(0, PAGES)).isEqualTo(model.chunks());
            for (Leased leased : leases) {
                for (int chunk = 0; chunk < leased.keys.size(); chunk++) {
                    assertThat(model.at(leased.real.page(chunk))).contains(leased.keys.get(chunk));
                }
            }
            for (Held held : model.allocations) {
                assertThat(held.real.writing()).isEqualTo(held.parts.stream().anyMatch(part -> part.writing));
                assertThat(held.real.complete()).isEqualTo(held.parts.stream().allMatch(Part::served));
            }
        }

        void letGoOfEverything() {
            for (Held held : model.allocations) {
                close(held);
                held.parts.forEach(part -> endWrite(held, part));
            }
            while (!leases.isEmpty()) {
                closeLease();
            }
            while (!reads.isEmpty()) {
                endRead();
            }
            assertThat(pool.store.counts().pinned()).isZero();
            for (int key = 0; key < KEYS; key++) {
                evict(key(key));
            }
            compare();
            assertThat(pool.store.counts()).isEqualTo(pool.allFree());
        }

        private <T> Optional<T> oneOf(List<T> list) {
            return list.isEmpty() ? Optional.empty() : Optional.of(list.get(random.nextInt(list.size())));
        }

        private List<ChunkKey> randomKeys() {
            int most = random.nextInt(8) == 0 ? 14 : 5;
            return Stream.generate(this::randomKey).limit(random.nextInt(most)).toList();
        }

        private ChunkKey randomKey() {
            return key(random.nextInt(KEYS));
        }

        private static ChunkKey key(int number) {
            return new ChunkKey("k" + number);
        }
    }
}
