package dev.tandem.transfer.peer;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.wire.Stamp;

/**
 * The senders this receiver knows: for each {@code local_id} its current generation, and nothing of older ones.
 *
 * <p>Thread-safe.
 */
public final class InboundPeers {

    private final Incarnation incarnation;
    private final int maxPeers;
    private final Map<String, InboundSession> current = new LinkedHashMap<>();

    /**
     * @param incarnation of this process; requests meant for another are STALE
     * @param maxPeers senders held at once
     */
    public InboundPeers(Incarnation incarnation, int maxPeers) {
        this.incarnation = incarnation;
        this.maxPeers = maxPeers;
    }

    /** The current session of every sender, also of those whose session has ended. */
    public synchronized List<InboundSession> sessions() {
        return List.copyOf(current.values());
    }

    public synchronized Optional<InboundSession> find(String senderId) {
        return Optional.ofNullable(current.get(senderId));
    }

    /**
     * The ready session that may do what this stamp asks.
     *
     * @throws TransferException UNKNOWN_PEER, STALE or NOT_AUTHORIZED
     */
    public InboundSession authorize(Stamp stamp) {
        if (!stamp.receiverIncarnation().isEmpty()
                && !stamp.receiverIncarnation().equals(incarnation.value())) {
            throw new TransferException(
                    ErrorCode.STALE,
                    "meant for incarnation %s, this is %s: greet again"
                            .formatted(stamp.receiverIncarnation(), incarnation));
        }
        InboundSession session = find(stamp.senderId())
                .orElseThrow(() -> new TransferException(
                        ErrorCode.UNKNOWN_PEER, "peer %s has not said Init".formatted(stamp.senderId())));
        requireCurrent(session, stamp);
        return session;
    }

    private static void requireCurrent(InboundSession session, Stamp stamp) {
        if (!session.incarnation().equals(stamp.incarnation())) {
            throw new TransferException(
                    ErrorCode.STALE,
                    "peer %s: incarnation %s is not the current one".formatted(stamp.senderId(), stamp.incarnation()));
        }
        if (!session.shows(stamp.peerToken())) {
            throw new TransferException(
                    ErrorCode.NOT_AUTHORIZED,
                    "peer %s: the peer_token is not that of its current handshake".formatted(stamp.senderId()));
        }
        if (!session.isReady()) {
            throw new TransferException(
                    ErrorCode.UNKNOWN_PEER,
                    "peer %s: %s, greet again".formatted(stamp.senderId(), session.stateLabel()));
        }
    }

    /**
     * Makes a session the current one of its sender.
     *
     * @return the one before, if any, for the caller to supersede
     * @throws TransferException STALE if the generation is not newer within the same incarnation; TOO_LARGE if there
     *     are too many peers and all of them live
     */
    synchronized Optional<InboundSession> admit(InboundSession session) {
        InboundSession before = current.get(session.senderId());
        if (before != null
                && before.incarnation().equals(session.incarnation())
                && !session.incarnation().isEmpty()
                && session.generation() <= before.generation()) {
            throw new TransferException(
                    ErrorCode.STALE, "%s: generation %d is current already".formatted(session, before.generation()));
        }
        if (before == null && current.size() >= maxPeers) {
            forgetOneEnded();
        }
        current.remove(session.senderId());
        current.put(session.senderId(), session);
        return Optional.ofNullable(before);
    }

    private void forgetOneEnded() {
        InboundSession longestSilent = current.values().stream()
                .filter(session -> session.cause().isPresent())
                .max(Comparator.comparing(InboundSession::silence))
                .orElseThrow(() -> new TransferException(
                        ErrorCode.TOO_LARGE, "%d peers are connected, the most allowed".formatted(maxPeers)));
        current.remove(longestSilent.senderId());
    }

    /** Drops a sender whose session has ended. */
    synchronized void forget(InboundSession session) {
        current.remove(session.senderId(), session);
    }
}
