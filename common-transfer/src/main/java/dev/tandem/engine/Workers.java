package dev.tandem.engine;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The engine's threads. All runs share them, first come, first served, one part of a step at a time: a long prompt does
 * not hold up the others. Parts only compute; they never block.
 */
final class Workers implements AutoCloseable {

    private static final int CLOSE_SECONDS = 30;

    private final int threads;
    private final ThreadPoolExecutor pool;
    private final BlockingQueue<Workspace> idle;

    Workers(int threads, ModelConfig config) {
        this.threads = threads;
        idle = new ArrayBlockingQueue<>(threads);
        for (int i = 0; i < threads; i++) {
            idle.add(new Workspace(config));
        }
        pool = new ThreadPoolExecutor(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("engine-", 0).factory(),
                (part, _) -> ((Round.Part) part).abandon());
    }

    /** One thread's share of a step. */
    interface Step {
        void run(int part, Workspace workspace);
    }

    int threads() {
        return threads;
    }

    /**
     * Runs the parts of a step and waits for all of them. When this returns or throws, none is running.
     *
     * @throws InterruptedException parts that had not begun were dropped
     * @throws IllegalStateException when the engine is closed or a part failed
     */
    void run(int parts, Step step) throws InterruptedException {
        var round = new Round(parts, part -> compute(part, step));
        round.parts().forEach(pool::execute);
        try {
            round.await();
        } catch (InterruptedException e) {
            round.parts().stream().filter(pool::remove).forEach(Round.Part::abandon);
            round.awaitUninterruptibly();
            throw e;
        }
    }

    private void compute(int part, Step step) {
        Workspace workspace = idle.remove();
        try {
            step.run(part, workspace);
        } finally {
            idle.add(workspace);
        }
    }

    /** Ends all runs: what is being computed ends first, what waits is abandoned. */
    @Override
    public void close() {
        for (Runnable part : pool.shutdownNow()) {
            ((Round.Part) part).abandon();
        }
        try {
            if (!pool.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("engine threads still compute after %d s".formatted(CLOSE_SECONDS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
