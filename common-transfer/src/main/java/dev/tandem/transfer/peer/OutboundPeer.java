package dev.tandem.transfer.peer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.PeerId;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.metrics.TransferMetrics;

/**
 * One receiver at its sender: the only holder of its {@link PeerState}.
 *
 * <p>The first caller that needs the receiver starts a handshake, on a thread of the peer's own; every caller that
 * comes meanwhile waits for that same outcome, so one handshake and one set of sockets serve them all (LMCache-Ascend
 * #265). A keeper thread sends heartbeats while the peer is ready and greets it again after a failure, without any
 * traffic being needed. Thread-safe.
 */
final class OutboundPeer {

    private static final Logger log = LoggerFactory.getLogger(OutboundPeer.class);

    private static final long PROBE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final PeerId id;
    private final SenderHandshake handshake;
    private final HandshakeSettings settings;
    private final Supplier<String> ownState;
    private final TransferMetrics metrics;
    private final AtomicLong generation;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private PeerState state = new PeerState.Idle();
    private long sinceNanos = System.nanoTime();
    private long usedNanos = System.nanoTime();
    private @Nullable Incarnation lastIncarnation;

    OutboundPeer(
            PeerId id,
            SenderHandshake handshake,
            HandshakeSettings settings,
            Supplier<String> ownState,
            TransferMetrics metrics,
            AtomicLong generation) {
        this.id = id;
        this.handshake = handshake;
        this.settings = settings;
        this.ownState = ownState;
        this.metrics = metrics;
        this.generation = generation;
        Thread.ofVirtual().name("keeper-" + id).start(this::keep);
    }

    PeerId id() {
        return id;
    }

    PeerState state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    Duration inState() {
        lock.lock();
        try {
            return Duration.ofNanos(System.nanoTime() - sinceNanos);
        } finally {
            lock.unlock();
        }
    }

    Duration unused() {
        lock.lock();
        try {
            return Duration.ofNanos(System.nanoTime() - usedNanos);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The outcome to wait for: that of the handshake under way, of one that this call starts, or the session there is.
     *
     * @throws TransferException BACKING_OFF while the pause after a failure lasts
     */
    CompletableFuture<OutboundSession> outcome() {
        lock.lock();
        try {
            usedNanos = System.nanoTime();
            return switch (state) {
                case PeerState.Ready(var session) -> CompletableFuture.completedFuture(session);
                case PeerState.Connecting connecting -> connecting.outcome();
                case PeerState.Backoff backoff
                when backoff.untilNanos() - System.nanoTime() > 0 -> throw backingOff(backoff);
                case PeerState.Disconnected disconnected -> start(disconnected);
                case PeerState.Closed _ ->
                    throw new TransferException(ErrorCode.PEER_LOST, "peer %s is closed".formatted(id));
            };
        } finally {
            lock.unlock();
        }
    }

    private TransferException backingOff(PeerState.Backoff backoff) {
        long millis = TimeUnit.NANOSECONDS.toMillis(backoff.untilNanos() - System.nanoTime());
        return new TransferException(
                ErrorCode.BACKING_OFF,
                "peer %s failed %d times in a row and is tried again in %d ms; last: %s"
                        .formatted(
                                id, backoff.failures(), millis, backoff.cause().getMessage()),
                backoff.cause());
    }

    private CompletableFuture<OutboundSession> start(PeerState.Disconnected disconnected) {
        PeerState.Connecting connecting = disconnected.connecting();
        become(connecting, "greeting");
        Thread.ofVirtual().name("handshake-" + id).start(() -> greet(connecting));
        return connecting.outcome();
    }

    private void greet(PeerState.Connecting connecting) {
        long started = System.nanoTime();
        try {
            OutboundSession session = handshake.greet(id, generation.incrementAndGet());
            metrics.handshakeDone("sender", Duration.ofNanos(System.nanoTime() - started));
            publish(connecting, session);
        } catch (TransferException e) {
            fail(connecting, e);
        } catch (InterruptedException e) {
            fail(
                    connecting,
                    new TransferException(ErrorCode.INTERNAL, "handshake with %s: shut down".formatted(id), e));
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            fail(connecting, new TransferException(ErrorCode.INTERNAL, "handshake with %s: %s".formatted(id, e), e));
        }
    }

    private void publish(PeerState.Connecting connecting, OutboundSession session) {
        boolean wanted;
        lock.lock();
        try {
            wanted = state == connecting;
            if (wanted) {
                become(connecting.ready(session), "over " + session.greeted().channel());
                noteIncarnation(session.greeted().incarnation());
            }
        } finally {
            lock.unlock();
        }
        if (wanted) {
            var _ = session.lost().thenAccept(cause -> broken(session, cause));
            connecting.outcome().complete(session);
        } else {
            var closed = new TransferException(ErrorCode.PEER_LOST, "peer %s was closed meanwhile".formatted(id));
            session.lose(closed);
            connecting.outcome().completeExceptionally(closed);
        }
    }

    private void noteIncarnation(Incarnation incarnation) {
        if (lastIncarnation != null && !lastIncarnation.equals(incarnation)) {
            metrics.peerIncarnationChanged();
        }
        lastIncarnation = incarnation;
    }

    private void fail(PeerState.Connecting connecting, TransferException cause) {
        metrics.handshakeFailed("sender", cause.code());
        lock.lock();
        try {
            if (state == connecting) {
                become(connecting.failed(cause, settings.maxBackoff(), System.nanoTime()), cause.getMessage());
            }
        } finally {
            lock.unlock();
        }
        connecting.outcome().completeExceptionally(cause);
    }

    private void broken(OutboundSession session, TransferException cause) {
        lock.lock();
        try {
            if (state instanceof PeerState.Ready ready && ready.session() == session) {
                become(ready.broken(cause), cause.getMessage());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the pause after a failure, so that the next call or the keeper greets at once. */
    void resetBackoff() {
        lock.lock();
        try {
            if (state instanceof PeerState.Backoff) {
                become(new PeerState.Idle(), "back-off reset");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets the session go; the next call greets again. */
    void disconnect(String reason) {
        PeerState was;
        lock.lock();
        try {
            was = state;
            if (was instanceof PeerState.Ready || was instanceof PeerState.Disconnected) {
                become(new PeerState.Idle(), reason);
            }
        } finally {
            lock.unlock();
        }
        if (was instanceof PeerState.Ready(var session)) {
            session.lose(new TransferException(ErrorCode.ABORTED, "peer %s: %s".formatted(id, reason)));
        }
    }

    void close() {
        disconnect("closed");
        lock.lock();
        try {
            become(new PeerState.Closed(), "closed");
        } finally {
            lock.unlock();
        }
    }

    private void become(PeerState next, @Nullable String why) {
        log.info("peer {}: {} -> {} ({})", id, state.label(), next.label(), why);
        state = next;
        sinceNanos = System.nanoTime();
        changed.signalAll();
    }

    private void keep() {
        try {
            while (keepOnce()) {
                // each pass waits for its own condition
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return false once the peer is closed */
    private boolean keepOnce() throws InterruptedException {
        OutboundSession session;
        lock.lock();
        try {
            switch (state) {
                case PeerState.Closed _ -> {
                    return false;
                }
                case PeerState.Idle _, PeerState.Connecting _ -> {
                    changed.await();
                    return true;
                }
                case PeerState.Broken broken -> {
                    var _ = start(broken);
                    return true;
                }
                case PeerState.Backoff backoff -> {
                    awaitEnd(backoff);
                    return true;
                }
                case PeerState.Ready ready -> {
                    long pause = ready.session().greeted().heartbeat().toNanos();
                    if (changed.awaitNanos(pause) > 0 || state != ready) {
                        return true;
                    }
                    session = ready.session();
                }
            }
        } finally {
            lock.unlock();
        }
        beat(session);
        return true;
    }

    /** The very first failure asks for no pause before a call, but a probe without traffic takes one. */
    private void awaitEnd(PeerState.Backoff backoff) throws InterruptedException {
        long pause = Math.max(backoff.untilNanos() - System.nanoTime(), PROBE_PAUSE_NANOS);
        long left = pause;
        while (left > 0 && state == backoff) {
            left = changed.awaitNanos(left);
        }
        if (state == backoff) {
            var _ = start(backoff);
        }
    }

    private void beat(OutboundSession session) throws InterruptedException {
        Duration patience = settings.stepTimeout();
        try {
            session.heartbeat(ownState.get(), Deadline.after(patience));
            session.connection().probe(Deadline.after(patience));
        } catch (TransferException e) {
            session.lose(new TransferException(
                    ErrorCode.PEER_LOST, "peer %s: no heartbeat: %s".formatted(id, e.getMessage()), e));
        }
    }
}
