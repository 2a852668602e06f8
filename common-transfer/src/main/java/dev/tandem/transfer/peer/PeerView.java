package dev.tandem.transfer.peer;

import java.time.Duration;
import java.util.Optional;

import dev.tandem.transfer.TransferException;

/**
 * What can be told of a peer at one moment, for health, metrics and admin. Holds no credentials.
 *
 * @param id {@code host:port} of a receiver, {@code local_id} of a sender
 * @param role what the peer is to this node: {@code receiver} or {@code sender}
 * @param state label of its {@link PeerState} or generation
 * @param incarnation of the peer's process; empty while unknown
 * @param generation of the current or last handshake; 0 before the first
 * @param channel the fabric; empty while unknown
 * @param since how long it has been in this state
 * @param lastError why it is not ready; empty while it is
 * @param consecutiveFailures handshakes that failed in a row
 * @param backoffLeft until calls may greet it again
 * @param roundTrip of the last heartbeat; zero while unknown
 */
public record PeerView(
        String id,
        String role,
        String state,
        String incarnation,
        long generation,
        String channel,
        Duration since,
        Optional<TransferException> lastError,
        int consecutiveFailures,
        Duration backoffLeft,
        Duration roundTrip) {

    static PeerView of(OutboundPeer peer) {
        PeerState state = peer.state();
        PeerView blank = new PeerView(
                peer.id().toString(),
                "receiver",
                state.label(),
                "",
                0,
                "",
                peer.inState(),
                Optional.empty(),
                0,
                Duration.ZERO,
                Duration.ZERO);
        return switch (state) {
            case PeerState.Ready(var session) -> blank.with(session);
            case PeerState.Broken(var cause) -> blank.with(cause, 0, Duration.ZERO);
            case PeerState.Backoff(var failures, var cause, var until) ->
                blank.with(cause, failures, Duration.ofNanos(Math.max(0, until - System.nanoTime())));
            case PeerState.Idle _, PeerState.Connecting _, PeerState.Closed _ -> blank;
        };
    }

    static PeerView of(InboundSession session) {
        return new PeerView(
                session.senderId(),
                "sender",
                session.stateLabel(),
                session.incarnation(),
                session.generation(),
                session.channel().kind().wireName(),
                session.age(),
                session.cause(),
                session.cause().isPresent() ? 1 : 0,
                Duration.ZERO,
                Duration.ZERO);
    }

    private PeerView with(OutboundSession session) {
        Greeted greeted = session.greeted();
        return new PeerView(
                id,
                role,
                session.draining() ? "DRAINING" : state,
                greeted.incarnation().value(),
                greeted.generation(),
                greeted.channel().wireName(),
                since,
                Optional.empty(),
                0,
                Duration.ZERO,
                Duration.ofNanos(session.roundTripNanos()));
    }

    private PeerView with(TransferException cause, int failures, Duration left) {
        return new PeerView(
                id,
                role,
                state,
                incarnation,
                generation,
                channel,
                since,
                Optional.of(cause),
                failures,
                left,
                roundTrip);
    }
}
