package dev.tandem.transfer.channel.tcp;

import java.io.Closeable;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.Deadline;

/** Platform threads that serve batches: as many as there are batches, up to a limit; beyond it batches wait. */
final class Workers implements Closeable {

    private static final long KEEP_SECONDS = 30;

    private final ThreadPoolExecutor threads;

    Workers(String name, int most) {
        this.threads = new ThreadPoolExecutor(
                0,
                most,
                KEEP_SECONDS,
                TimeUnit.SECONDS,
                new HandOver(),
                Thread.ofPlatform().daemon().name(name, 0).factory(),
                Workers::queue);
    }

    /** @throws RejectedExecutionException when closed */
    void run(Runnable work) {
        threads.execute(work);
    }

    /** Whether work waits for a thread. */
    boolean overrun() {
        return !threads.getQueue().isEmpty();
    }

    private static void queue(Runnable work, ThreadPoolExecutor full) {
        if (full.isShutdown()) {
            throw new RejectedExecutionException("closed");
        }
        ((HandOver) full.getQueue()).put(work);
    }

    /** Takes no new work; what runs, runs on. */
    @Override
    public void close() {
        threads.shutdown();
    }

    /** @return whether no thread is left */
    boolean awaitEnd(Deadline deadline) {
        try {
            return threads.awaitTermination(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** A pool starts a thread only when its queue refuses the work: this one does unless a thread waits for it. */
    private static final class HandOver extends LinkedTransferQueue<Runnable> {

        private static final long serialVersionUID = 1L;

        @Override
        public boolean offer(Runnable work) {
            return tryTransfer(work);
        }
    }
}
