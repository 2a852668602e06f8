package dev.tandem.engine;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/** One step that is computed in parts, and the wait for all of them. */
final class Round {

    private final List<Part> parts;
    private final CountDownLatch open;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Round(int parts, IntConsumer work) {
        this.parts = IntStream.range(0, parts)
                .mapToObj(index -> new Part(index, work))
                .toList();
        this.open = new CountDownLatch(parts);
    }

    List<Part> parts() {
        return parts;
    }

    /** A part, which ends exactly once: it is run or abandoned. */
    final class Part implements Runnable {

        private final int index;
        private final IntConsumer work;

        Part(int index, IntConsumer work) {
            this.index = index;
            this.work = work;
        }

        @Override
        public void run() {
            try {
                work.accept(index);
            } catch (Throwable e) { // whatever it is, it belongs to the thread that waits
                failure.compareAndSet(null, e);
            } finally {
                open.countDown();
            }
        }

        /** Ends a part that will never run, since the engine closes or its run is over. */
        void abandon() {
            failure.compareAndSet(null, new IllegalStateException("the engine is closed"));
            open.countDown();
        }
    }

    /**
     * Waits for all parts. It has no deadline of its own: parts never block, and a caller in a hurry is interrupted.
     *
     * @throws IllegalStateException when a part failed or was abandoned
     */
    void await() throws InterruptedException {
        open.await();
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("the run failed: " + cause.getMessage(), cause);
        }
    }

    /** Waits for parts that have begun: they write to pages, which the caller may free as soon as this returns. */
    void awaitUninterruptibly() {
        boolean ended = false;
        while (!ended) {
            try {
                open.await();
                ended = true;
            } catch (InterruptedException e) {
                // The caller is about to throw the interrupt that brought it here.
            }
        }
    }
}
