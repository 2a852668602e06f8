package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;

/** One platform thread that has chosen a device and makes native calls for others, one after the other. */
final class DeviceWorker implements AutoCloseable {

    private final DeviceThreads threads;
    private final ExecutorService thread;
    private boolean deviceChosen;

    DeviceWorker(String name, DeviceThreads threads) {
        this.threads = threads;
        this.thread = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /**
     * Makes the calls of {@code work} and waits for them.
     *
     * @param what for the message
     * @throws ChannelException when they fail, or do not end within {@code limit}; they go on then
     */
    <T> T call(String what, Duration limit, Supplier<T> work) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        thread.execute(() -> {
            try {
                chooseDeviceOnce();
                outcome.complete(work.get());
            } catch (RuntimeException | Error e) {
                outcome.completeExceptionally(e);
            }
        });
        return Outcomes.await(what, outcome, Deadline.after(limit));
    }

    private void chooseDeviceOnce() {
        if (!deviceChosen) {
            threads.chooseDevice();
            deviceChosen = true;
        }
    }

    /** Lets a call that is under way end, without waiting for it. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
