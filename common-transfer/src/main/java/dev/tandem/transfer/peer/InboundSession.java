package dev.tandem.transfer.peer;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferChannel;
import dev.tandem.transfer.wire.OpaqueBytes;

/**
 * One generation of one sender at the receiver, from its Init on. The only holder of its {@link GenerationState}.
 *
 * <p>Thread-safe. Whatever lives no longer than the session is attached to it: when it ends, however it ends, first
 * everything attached is revoked, then the connection is fenced, then everything attached learns that.
 */
public final class InboundSession {

    private static final Logger log = LoggerFactory.getLogger(InboundSession.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Duration FENCE_STEP = Duration.ofSeconds(5);

    private final String senderId;
    private final String incarnation;
    private final long generation;
    private final TransferChannel channel;
    private final OpaqueBytes token = randomToken();
    private final long sinceNanos = System.nanoTime();
    private final CompletableFuture<Void> accepted = new CompletableFuture<>();
    private final CompletableFuture<Void> registered = new CompletableFuture<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> fenced = new CompletableFuture<>();
    private final Set<SessionResource> resources = new LinkedHashSet<>();
    private CompletableFuture<Void> predecessorFenced = CompletableFuture.completedFuture(null);
    private GenerationState state = new GenerationState.Accepting();
    private @Nullable Offer offer;
    private volatile long lastSeenNanos = System.nanoTime();
    private volatile String peerState = "ready";

    InboundSession(String senderId, String incarnation, long generation, TransferChannel channel) {
        this.senderId = senderId;
        this.incarnation = incarnation;
        this.generation = generation;
        this.channel = channel;
    }

    /** The sender's {@code local_id}. */
    public String senderId() {
        return senderId;
    }

    /** The sender's process start; empty from a sender that did not say. */
    public String incarnation() {
        return incarnation;
    }

    public long generation() {
        return generation;
    }

    public TransferChannel channel() {
        return channel;
    }

    public synchronized String stateLabel() {
        return state.label();
    }

    /** Why the session ended; empty while it lives. */
    public synchronized Optional<TransferException> cause() {
        return state instanceof GenerationState.Ended ended ? Optional.of(ended.cause()) : Optional.empty();
    }

    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - sinceNanos);
    }

    /** How long ago the sender was last heard of. */
    public Duration silence() {
        return Duration.ofNanos(System.nanoTime() - lastSeenNanos);
    }

    /** Notes a sign of life, with the state the sender says it is in. */
    public void heard(String senderState) {
        lastSeenNanos = System.nanoTime();
        peerState = senderState;
    }

    /** {@code ready} or {@code draining}, as the sender last said. */
    public String peerState() {
        return peerState;
    }

    public synchronized boolean isReady() {
        return state instanceof GenerationState.Ready;
    }

    /** The sender's regions, once it is ready. */
    public synchronized List<RemoteRegion> regions() {
        return state instanceof GenerationState.Ready(var _, var regions) ? regions : List.of();
    }

    /** The path to the sender, once it is ready. */
    public synchronized Optional<Connection> connection() {
        return state instanceof GenerationState.Ready(var connection, var _)
                ? Optional.of(connection)
                : Optional.empty();
    }

    /**
     * Ties a resource to this session.
     *
     * @throws TransferException with the reason when the session is over
     */
    public synchronized void attach(SessionResource resource) {
        if (state instanceof GenerationState.Ended ended) {
            throw ended.cause();
        }
        resources.add(resource);
    }

    public synchronized void detach(SessionResource resource) {
        resources.remove(resource);
    }

    boolean shows(OpaqueBytes peerToken) {
        return MessageDigest.isEqual(token.toArray(), peerToken.toArray());
    }

    OpaqueBytes token() {
        return token;
    }

    /** Completes once nothing of this generation can land any more. */
    CompletableFuture<Void> fenced() {
        return fenced;
    }

    /** Runs the receiver's half of the rendezvous; blocks, on the handshake's own platform thread. */
    void accept(Offer armed, Deadline deadline) {
        try {
            connected(armed.accept(deadline));
        } catch (TransferException e) {
            ErrorCode code = e.code() == ErrorCode.TIMEOUT ? ErrorCode.ACCEPT_TIMEOUT : ErrorCode.ACCEPT_FAILED;
            end(new TransferException(code, "accept of %s: %s".formatted(this, e.getMessage()), e));
        }
    }

    /** Keeps this generation from becoming ready before the one it supersedes is fenced. Called before it is armed. */
    void follow(CompletableFuture<Void> before) {
        predecessorFenced = before;
    }

    /** Keeps the offer, so that an end of this generation cancels its accept. */
    void armed(Offer newOffer) {
        boolean over;
        synchronized (this) {
            over = state instanceof GenerationState.Ended;
            offer = newOffer;
        }
        if (over) {
            newOffer.close();
        }
    }

    private void connected(Connection connection) {
        boolean current;
        synchronized (this) {
            current = state instanceof GenerationState.Accepting;
            if (state instanceof GenerationState.Accepting accepting) {
                state = accepting.connected(connection);
            }
        }
        if (!current) {
            connection.close();
            return;
        }
        var _ = connection.closed().thenAccept(this::end);
        accepted.complete(null);
    }

    /** Waits for accept, then imports the sender's memory. A repeat is answered like the first. */
    void register(OpaqueBytes handles, Deadline deadline) throws InterruptedException {
        await(accepted, deadline, "accept");
        Connection connection;
        synchronized (this) {
            if (!(state instanceof GenerationState.Connected connected)) {
                failIfEnded();
                return;
            }
            connection = connected.connection();
        }
        List<RemoteRegion> regions = importMemory(connection, handles);
        synchronized (this) {
            if (state instanceof GenerationState.Connected connected) {
                state = connected.registered(regions);
            }
            failIfEnded();
        }
        registered.complete(null);
    }

    private List<RemoteRegion> importMemory(Connection connection, OpaqueBytes handles) {
        try {
            return connection.importMemory(handles.toArray());
        } catch (TransferException e) {
            var rejected = new TransferException(
                    ErrorCode.MEMORY_REJECTED, "memory handles of %s: %s".formatted(this, e.getMessage()), e);
            end(rejected);
            throw rejected;
        }
    }

    /** Waits for accept, for the sender's memory and for the end of the generation before; then all may see it ready. */
    void becomeReady(Deadline deadline) throws InterruptedException {
        await(accepted, deadline, "accept");
        await(registered, deadline, "memory registration");
        await(predecessorFenced, deadline, "the end of the generation before");
        synchronized (this) {
            if (state instanceof GenerationState.MemoryRegistered memoryRegistered) {
                state = memoryRegistered.ready();
            }
            failIfEnded();
        }
        lastSeenNanos = System.nanoTime();
        ready.complete(null);
    }

    /** Ends the generation unless it becomes ready in time; blocks until one of the two. */
    void endUnlessReady(Deadline deadline) throws InterruptedException {
        try {
            await(ready, deadline, "the handshake");
        } catch (TransferException e) {
            end(new TransferException(e.code(), "%s stalled: %s".formatted(this, e.getMessage()), e));
        }
    }

    private void await(CompletableFuture<Void> outcome, Deadline deadline, String step) throws InterruptedException {
        try {
            outcome.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new TransferException(ErrorCode.ACCEPT_TIMEOUT, "%s: no end of %s".formatted(this, step), e);
        } catch (ExecutionException e) {
            synchronized (this) {
                failIfEnded();
            }
            throw new TransferException(ErrorCode.INTERNAL, "%s: %s".formatted(this, step), e);
        }
    }

    private void failIfEnded() {
        if (state instanceof GenerationState.Ended ended) {
            throw new TransferException(ended.cause().code(), ended.cause().message(), ended.cause());
        }
    }

    /** Ends this generation because a newer one of the same sender took over. */
    void supersede(String by) {
        end(new TransferException(ErrorCode.SUPERSEDED, "%s was superseded by %s".formatted(this, by)));
    }

    /** Ends this generation. Only the first call has an effect. */
    public void end(TransferException cause) {
        List<SessionResource> revoked;
        Optional<Connection> connection;
        Optional<Offer> open;
        synchronized (this) {
            if (!(state instanceof GenerationState.Live live)) {
                return;
            }
            log.info("peer {} generation {}: {} ended: {}", senderId, generation, state.label(), cause.getMessage());
            connection = connectionOf(live);
            open = Optional.ofNullable(offer);
            state = cause.code() == ErrorCode.SUPERSEDED ? live.superseded(cause) : live.failed(cause);
            revoked = new ArrayList<>(resources);
            resources.clear();
        }
        revoked.forEach(resource -> resource.revoked(cause));
        List.of(accepted, registered, ready).forEach(outcome -> outcome.completeExceptionally(cause));
        Thread.ofVirtual().name("fence-" + senderId).start(() -> fence(open, connection, revoked));
    }

    private static Optional<Connection> connectionOf(GenerationState.Live live) {
        return switch (live) {
            case GenerationState.Accepting _ -> Optional.empty();
            case GenerationState.Connected(var connection) -> Optional.of(connection);
            case GenerationState.MemoryRegistered(var connection, var _) -> Optional.of(connection);
            case GenerationState.Ready(var connection, var _) -> Optional.of(connection);
        };
    }

    private void fence(Optional<Offer> open, Optional<Connection> connection, List<SessionResource> revoked) {
        open.ifPresent(Offer::close);
        while (connection.isPresent() && !connection.get().fence(Deadline.after(FENCE_STEP))) {
            log.warn("peer {} generation {}: not fenced yet, its pages stay in quarantine", senderId, generation);
        }
        revoked.forEach(SessionResource::fenced);
        fenced.complete(null);
    }

    private static OpaqueBytes randomToken() {
        var bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return OpaqueBytes.of(bytes);
    }

    @Override
    public String toString() {
        return "%s generation %d".formatted(senderId, generation);
    }
}
