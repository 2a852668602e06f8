package dev.tandem.transfer.channel;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.Deadline;

/**
 * The two ends of one handshake within this process, each with the other's memory imported.
 *
 * @param senders regions of the sender, as the receiver sees them
 * @param receivers regions of the receiver, as the sender sees them
 */
public record Pair(Connection sender, Connection receiver, List<RemoteRegion> senders, List<RemoteRegion> receivers) {

    public static final Duration SOON = Duration.ofSeconds(10);

    public static Deadline soon() {
        return Deadline.after(SOON);
    }

    public static String name() {
        return "pair-" + UUID.randomUUID();
    }

    /** Greets, with the receiver's memory guarded and the sender's too. */
    public static Pair of(TransferChannel sender, TransferChannel receiver, MemoryGuard guard) {
        String name = name();
        Offer offer = receiver.offer(name, sender.greeting(), guard);
        FutureTask<Connection> accepted = onThread(() -> offer.accept(soon()));
        Connection connected = sender.connect(name, offer.meta(), guard, soon());
        Connection accepting = result(accepted);
        return new Pair(
                connected,
                accepting,
                accepting.importMemory(sender.exportMemory()),
                connected.importMemory(receiver.exportMemory()));
    }

    /** Runs on a platform thread of its own, as transfers want it. */
    public static <T> FutureTask<T> onThread(Callable<T> work) {
        var task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().name("contract").start(task);
        return task;
    }

    public static <T> T result(FutureTask<T> task) {
        try {
            return task.get(2 * SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("no result", e);
        }
    }

    /** The cause of a connection's end, once it has ended. */
    public static ChannelException cause(CompletableFuture<ChannelException> closed) {
        try {
            return closed.get(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("the connection is still open", e);
        }
    }
}
