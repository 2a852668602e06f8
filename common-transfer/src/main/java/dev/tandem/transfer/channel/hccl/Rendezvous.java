package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/**
 * One side's half of a handshake, on a thread of its own, as its native calls cannot be interrupted. Whoever gives up
 * does so at once and leaves the thread to itself: when the native call returns, at the latest at its own time-out, the
 * thread cleans up what it has.
 */
final class Rendezvous {

    private static final Duration CLEAN_UP = Duration.ofSeconds(60);

    private final HcclNode node;
    private final CommunicatorPlan plan;
    private final ProbePage.Target probe;
    private final ProbePage.Target accepted;
    private final CompletableFuture<HcclConnection> outcome = new CompletableFuture<>();

    /**
     * @param probe the other side's probe page
     * @param accepted what the server shows and the client waits for
     */
    Rendezvous(HcclNode node, CommunicatorPlan plan, ProbePage.Target probe, ProbePage.Target accepted) {
        this.node = node;
        this.plan = plan;
        this.probe = probe;
        this.accepted = accepted;
    }

    /**
     * Waits for the other side. Called once.
     *
     * @throws ChannelException when it does not come by the deadline, or {@link #cancel} was called
     */
    HcclConnection meet(Deadline deadline) {
        Deadline limit = deadline.atMost(plan.settings().prepareTimeout());
        if (!outcome.isDone()) {
            node.threads().start("hccl-meet-" + plan.name(), () -> meetHere(limit));
        }
        try {
            return Outcomes.await("hccl " + plan.name(), outcome, limit);
        } catch (ChannelException e) {
            cancel(e);
            CompletableFuture<Void> _ = outcome.thenAccept(HcclConnection::close);
            throw e;
        }
    }

    /** A connection that {@link #meet} has returned stays open. Does not wait. */
    void cancel(ChannelException cause) {
        outcome.completeExceptionally(cause);
    }

    /** Runs {@code after} once there is an outcome; it must not block. */
    void whenOver(Runnable after) {
        CompletableFuture<HcclConnection> _ = outcome.whenComplete((_, _) -> after.run());
    }

    private void meetHere(Deadline limit) {
        try {
            HcclConnection connection = connect(limit);
            try {
                publish(connection, limit);
            } catch (ChannelException e) {
                connection.fail(e);
                throw e;
            }
        } catch (RuntimeException | Error e) {
            outcome.completeExceptionally(e);
        }
    }

    /** The client has a connection only once the server has one. */
    private void publish(HcclConnection connection, Deadline limit) {
        if (plan.isClient()) {
            connection.awaitAccepted(accepted, limit);
        }
        node.connections().add(connection);
        if (!outcome.complete(connection)) {
            connection.close();
        } else if (!plan.isClient()) {
            node.probePage().show(accepted, limit);
        }
    }

    private HcclConnection connect(Deadline limit) {
        node.threads().chooseDevice();
        node.connections().acquire(limit);
        Communicator communicator;
        try {
            communicator =
                    Communicator.enter(node.runtime(), plan, node.memory().seal(), limit);
        } catch (RuntimeException | Error e) {
            node.connections().release();
            throw e;
        }
        try {
            requireWanted();
            communicator.prepare(limit);
            return new HcclConnection(node, plan, new Lifeline(node, communicator), probe);
        } catch (RuntimeException | Error e) {
            abandon(communicator);
            throw e;
        }
    }

    private void requireWanted() {
        if (outcome.isDone()) {
            throw new ChannelException(Reason.CLOSED, "hccl %s: cancelled".formatted(plan.name()));
        }
    }

    private void abandon(Communicator communicator) {
        if (communicator.leave(Deadline.after(CLEAN_UP))) {
            node.connections().release();
        }
        communicator.destroyStream();
    }
}
