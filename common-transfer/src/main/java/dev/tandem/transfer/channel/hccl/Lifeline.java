package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;

/**
 * How long a communicator may be used, and its orderly end:
 *
 * <pre>
 *   open ── end(cause) ──> draining: nothing enters, what is inside may end ──> left: nothing moves any more
 * </pre>
 *
 * <p>The first cause counts. The end runs on a thread of its own, so that whoever calls does not wait.
 */
final class Lifeline {

    private static final Logger log = LoggerFactory.getLogger(Lifeline.class);

    /** What a transfer gets that is under way at the end. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration TEAR_DOWN = Duration.ofSeconds(60);

    private final HcclNode node;
    private final Communicator communicator;
    private final Gate gate = new Gate();
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();
    private final CompletableFuture<ChannelException> ended = new CompletableFuture<>();
    /** Never completes when the communicator could not be destroyed: then nothing is certain. */
    private final CompletableFuture<Boolean> left = new CompletableFuture<>();

    /** @param drained when transfers under way must have ended */
    private record End(ChannelException cause, Deadline drained) {}

    /** @param communicator prepared, on room that was acquired for it; belongs to the lifeline now */
    Lifeline(HcclNode node, Communicator communicator) {
        this.node = node;
        this.communicator = communicator;
    }

    Communicator communicator() {
        return communicator;
    }

    /** @return false after the end; otherwise {@link #leave} must follow */
    boolean enter() {
        return gate.enter();
    }

    void leave() {
        gate.leave();
    }

    /** Not for the lane: what others do at the end runs on the calling thread. */
    void end(ChannelException cause) {
        if (end.compareAndSet(null, new End(cause, Deadline.after(GRACE)))) {
            gate.shut();
            node.threads().start("hccl-close-" + communicator.name(), this::tearDown);
            ended.complete(cause);
        }
    }

    /** @return whether it has ended now; not while something is inside, nor when it had ended before */
    boolean endIfUnused(Supplier<ChannelException> cause) {
        boolean unused = end.get() == null && gate.shutIfEmpty();
        if (unused) {
            end(cause.get());
        }
        return unused;
    }

    Optional<ChannelException> cause() {
        return Optional.ofNullable(end.get()).map(End::cause);
    }

    /** When a transfer must have ended that was given {@code deadline}. */
    Deadline limit(Deadline deadline) {
        End now = end.get();
        return now == null || deadline.remainingNanos() < now.drained().remainingNanos() ? deadline : now.drained();
    }

    /** Completes with the cause. */
    CompletableFuture<ChannelException> ended() {
        return ended.copy();
    }

    /** @return whether nothing can move any more; false when that is not certain by the deadline */
    boolean awaitLeft(Deadline deadline) {
        try {
            return Outcomes.await("hccl " + communicator.name(), left, deadline);
        } catch (ChannelException e) {
            return false;
        }
    }

    private void tearDown() {
        if (deviceIsThere()
                && gate.awaitEmpty(Deadline.after(TEAR_DOWN))
                && communicator.leave(Deadline.after(TEAR_DOWN))) {
            left.complete(true);
            node.connections().release();
            communicator.destroyStream();
        } else {
            log.atError().addKeyValue("communicator", communicator.name()).log("hccl communicator is left over");
        }
    }

    private boolean deviceIsThere() {
        try {
            node.threads().chooseDevice();
            return true;
        } catch (ChannelException e) {
            log.atWarn().addKeyValue("communicator", communicator.name()).log(e.message());
            return false;
        }
    }
}
