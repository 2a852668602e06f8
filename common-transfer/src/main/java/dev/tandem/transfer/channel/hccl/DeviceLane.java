package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/**
 * The data thread of one device. Puts what comes on its connection's stream at once, then waits for the streams in
 * turn, so that many connections move bytes at the same time on one thread. It waits for one stream at most a slice at
 * a time: a peer that hangs does not hold up the others.
 */
final class DeviceLane implements AutoCloseable {

    /** Longer than a usual batch takes, so that most batches cost one synchronise; short for a peer that must wait. */
    private static final int SLICE_MILLIS = 20;

    private static final Duration START = Duration.ofSeconds(60);

    private final DeviceThreads threads;
    private final Thread thread;
    private final CompletableFuture<Boolean> started = new CompletableFuture<>();
    private final BlockingQueue<Transfer> submitted = new LinkedBlockingQueue<>();
    private final Deque<Transfer> underWay = new ArrayDeque<>();

    private DeviceLane(DeviceThreads threads) {
        this.threads = threads;
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("hccl-lane-" + threads.device())
                .unstarted(this::run);
    }

    /** @throws ChannelException when the device cannot be chosen */
    static DeviceLane start(DeviceThreads threads) {
        DeviceLane lane = new DeviceLane(threads);
        lane.thread.start();
        Outcomes.await("start of " + lane.thread.getName(), lane.started, Deadline.after(START));
        return lane;
    }

    /** The transfer's lifeline has been entered; the lane leaves it. */
    void submit(Transfer transfer) {
        submitted.add(transfer);
    }

    /** Call it when every lifeline has ended; does not wait. */
    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            threads.chooseDevice();
            started.complete(true);
        } catch (ChannelException e) {
            started.completeExceptionally(e);
            return;
        }
        try {
            while (true) {
                issueAllThatCame();
                Transfer next = underWay.poll();
                if (next != null) {
                    settle(next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void issueAllThatCame() throws InterruptedException {
        if (underWay.isEmpty()) {
            issue(submitted.take());
        }
        for (Transfer next = submitted.poll(); next != null; next = submitted.poll()) {
            issue(next);
        }
    }

    private void issue(Transfer transfer) {
        Optional<ChannelException> dead = transfer.lifeline().cause();
        if (dead.isPresent()) {
            transfer.fail(dead.get());
            return;
        }
        attempt(transfer, () -> {
            transfer.issue();
            underWay.add(transfer);
        });
    }

    private void settle(Transfer transfer) {
        attempt(transfer, () -> {
            Deadline limit = transfer.lifeline().limit(transfer.deadline());
            int millis = Math.clamp(limit.remaining().toMillis(), 1, SLICE_MILLIS);
            if (transfer.lifeline().communicator().synchronise(millis)) {
                transfer.succeed();
                // What was on the stream before the wait began is done as well.
                sameStream(transfer, Transfer::succeed);
            } else if (limit.hasPassed()) {
                throw transfer.lifeline().cause().orElseGet(() -> timedOut(transfer));
            } else {
                underWay.add(transfer);
            }
        });
    }

    /** The lane outlives whatever one transfer runs into. */
    private void attempt(Transfer transfer, Runnable step) {
        try {
            step.run();
        } catch (ChannelException e) {
            fail(transfer, e);
        } catch (RuntimeException | Error e) {
            fail(transfer, new ChannelException(Reason.BROKEN, "hccl lane: " + e, e));
        }
    }

    private void fail(Transfer transfer, ChannelException cause) {
        transfer.fail(cause);
        sameStream(transfer, other -> other.fail(cause));
    }

    private void sameStream(Transfer transfer, Consumer<Transfer> end) {
        underWay.removeIf(other -> {
            boolean same = other.lifeline() == transfer.lifeline();
            if (same) {
                end.accept(other);
            }
            return same;
        });
    }

    private static ChannelException timedOut(Transfer transfer) {
        return new ChannelException(
                Reason.TIMED_OUT,
                "hccl %s: a %s of %d descriptors did not end in time"
                        .formatted(
                                transfer.lifeline().communicator().name(),
                                transfer.kind(),
                                transfer.descriptors().size()));
    }
}
