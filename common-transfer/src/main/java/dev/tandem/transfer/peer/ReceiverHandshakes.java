package dev.tandem.transfer.peer;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.TransferChannel;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.wire.HandshakeReply;
import dev.tandem.transfer.wire.HandshakeRequest;
import dev.tandem.transfer.wire.OpaqueBytes;

/**
 * The receiver's half of the handshake (docs/protocol.md, "Handshake"; the races are those of LMCache-Ascend #263 and
 * #265).
 *
 * <p>{@link #accept} runs on the init socket's thread, in order of arrival, and only decides which generation a request
 * belongs to; what it returns does the waiting, on a thread per request. So an older Init can never supersede a newer
 * one, and no peer's handshake delays another's.
 */
public final class ReceiverHandshakes {

    private static final Logger log = LoggerFactory.getLogger(ReceiverHandshakes.class);

    private final HandshakeSettings settings;
    private final Channels channels;
    private final MemoryGuard guard;
    private final BooleanSupplier draining;
    private final TransferMetrics metrics;
    private final InboundPeers peers;

    public ReceiverHandshakes(
            HandshakeSettings settings,
            InboundPeers peers,
            Channels channels,
            MemoryGuard guard,
            BooleanSupplier draining,
            TransferMetrics metrics) {
        this.settings = settings;
        this.channels = channels;
        this.guard = guard;
        this.draining = draining;
        this.metrics = metrics;
        this.peers = peers;
    }

    /** Applies a request in arrival order; the returned step answers it and may block. */
    public Supplier<HandshakeReply> accept(HandshakeRequest<?> request) {
        return switch (request) {
            case HandshakeRequest.Init init -> accept(init);
            case HandshakeRequest.MemReg memReg -> {
                InboundSession session = current(memReg);
                yield () -> register(session, memReg);
            }
            case HandshakeRequest.Ready ready -> {
                InboundSession session = current(ready);
                yield () -> becomeReady(session);
            }
        };
    }

    /** The reply that tells a sender why its request failed. */
    public HandshakeReply.Error refusal(Throwable cause) {
        TransferException failure = cause instanceof TransferException known
                ? known
                : new TransferException(ErrorCode.INTERNAL, "the receiver failed: " + cause, cause);
        metrics.handshakeFailed("receiver", failure.code());
        return new HandshakeReply.Error(false, failure.code().name(), String.valueOf(failure.getMessage()));
    }

    private Supplier<HandshakeReply> accept(HandshakeRequest.Init init) {
        if (draining.getAsBoolean()) {
            throw new TransferException(ErrorCode.DRAINING, "this receiver is draining: choose another");
        }
        Meta meta = Meta.parse(init.clientMeta());
        requireCompatible(meta);
        TransferChannel channel = channels.common(meta.channels().keySet());
        var session = new InboundSession(init.localId(), init.incarnation(), init.generation(), channel);
        Optional<InboundSession> before = peers.admit(session);
        CompletableFuture<Void> predecessorFenced =
                before.map(InboundSession::fenced).orElseGet(() -> CompletableFuture.completedFuture(null));
        session.follow(predecessorFenced);
        before.ifPresent(old -> old.supersede("generation " + session.generation()));
        Deadline deadline = Deadline.after(settings.stepTimeout());
        return () -> arm(session, meta, deadline);
    }

    private void requireCompatible(Meta meta) {
        settings.compatibility().mismatch(meta.compatibility()).ifPresent(difference -> {
            throw new TransferException(ErrorCode.INCOMPATIBLE, "receiver and sender differ: " + difference);
        });
        if (meta.rank() != settings.rank()) {
            throw new TransferException(
                    ErrorCode.INCOMPATIBLE,
                    "receiver and sender differ: rank %d≠%d".formatted(settings.rank(), meta.rank()));
        }
    }

    private HandshakeReply arm(InboundSession session, Meta sender, Deadline deadline) {
        TransferChannel channel = session.channel();
        OpaqueBytes greeting = sender.channels().getOrDefault(channel.kind(), OpaqueBytes.EMPTY);
        String name = HandshakeSettings.connectionName(
                session.senderId(), session.incarnation(), settings.incarnation(), session.generation());
        Offer offer;
        try {
            offer = channel.offer(name, greeting.toArray(), guard);
        } catch (TransferException e) {
            session.end(e);
            throw e;
        }
        session.armed(offer);
        Thread.ofPlatform().daemon().name("accept-" + session.senderId()).start(() -> session.accept(offer, deadline));
        Thread.ofVirtual().name("handshake-" + session.senderId()).start(() -> endUnlessReady(session));
        return new HandshakeReply.Init(new Meta(
                        settings.incarnation(),
                        settings.rank(),
                        settings.allocPort(),
                        settings.compatibility(),
                        Map.of(channel.kind(), OpaqueBytes.of(offer.meta())))
                .toBytes());
    }

    private void endUnlessReady(InboundSession session) {
        try {
            session.endUnlessReady(Deadline.after(settings.stepTimeout().multipliedBy(2)));
        } catch (InterruptedException e) {
            session.end(new TransferException(ErrorCode.INTERNAL, "%s: shut down".formatted(session), e));
            Thread.currentThread().interrupt();
        }
    }

    private HandshakeReply register(InboundSession session, HandshakeRequest.MemReg request) {
        try {
            session.register(request.clientMemHandles(), Deadline.after(settings.stepTimeout()));
        } catch (InterruptedException e) {
            throw interrupted(session, e);
        }
        return new HandshakeReply.MemReg(OpaqueBytes.of(session.channel().exportMemory()));
    }

    private HandshakeReply becomeReady(InboundSession session) {
        try {
            session.becomeReady(Deadline.after(settings.stepTimeout()));
        } catch (InterruptedException e) {
            throw interrupted(session, e);
        }
        metrics.handshakeDone("receiver", session.age());
        log.info(
                "peer {} generation {}: READY over {}",
                session.senderId(),
                session.generation(),
                session.channel().kind());
        return new HandshakeReply.Ready(
                true,
                session.token(),
                settings.incarnation().value(),
                settings.lease().toMillis(),
                settings.heartbeat().toMillis());
    }

    private static TransferException interrupted(InboundSession session, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new TransferException(ErrorCode.INTERNAL, "%s: shut down".formatted(session), e);
    }

    private InboundSession current(HandshakeRequest<?> request) {
        InboundSession session = peers.find(request.localId())
                .orElseThrow(() -> new TransferException(
                        ErrorCode.UNKNOWN_PEER, "peer %s has not said Init".formatted(request.localId())));
        boolean said = !request.incarnation().isEmpty();
        if (said
                && (!session.incarnation().equals(request.incarnation())
                        || session.generation() != request.generation())) {
            throw new TransferException(
                    ErrorCode.SUPERSEDED,
                    "peer %s: generation %d is current, not %d"
                            .formatted(request.localId(), session.generation(), request.generation()));
        }
        return session;
    }
}
