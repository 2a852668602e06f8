package dev.tandem.transfer.peer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

import dev.tandem.transfer.TransferException;

/**
 * Where a receiver stands in the eyes of its sender.
 *
 * <pre>
 *   IDLE ──→ CONNECTING ──→ READY ──→ BROKEN ──→ CONNECTING …
 *               ↑   └──→ BACKOFF ──┘ (failed; the pause grows with each failure)
 *   any ──→ CLOSED
 * </pre>
 *
 * Each state offers only its own moves.
 */
public sealed interface PeerState {

    /** The state's name in health, metrics and logs. */
    String label();

    /** States from which a handshake may begin. */
    sealed interface Disconnected extends PeerState {

        /** Consecutive failures so far. */
        int failures();

        default Connecting connecting() {
            return new Connecting(failures(), new CompletableFuture<>());
        }
    }

    /** Never greeted, or let go. */
    record Idle() implements Disconnected {
        @Override
        public String label() {
            return "IDLE";
        }

        @Override
        public int failures() {
            return 0;
        }
    }

    /**
     * A handshake is under way.
     *
     * @param outcome what every caller waits for
     */
    record Connecting(int failures, CompletableFuture<OutboundSession> outcome) implements PeerState {
        @Override
        public String label() {
            return "CONNECTING";
        }

        Ready ready(OutboundSession session) {
            return new Ready(session);
        }

        /** The first failure may be retried at once; then the pause doubles, with jitter, up to {@code longest}. */
        Backoff failed(TransferException cause, Duration longest, long nowNanos) {
            long pause = failures == 0 ? 0 : Math.min(longest.toNanos(), 100_000_000L << Math.min(failures, 20));
            long jittered = pause == 0 ? 0 : ThreadLocalRandom.current().nextLong(pause / 2, pause + 1);
            return new Backoff(failures + 1, cause, nowNanos + jittered);
        }
    }

    /** Handed out to callers only after the receiver answered Ready with ok. */
    record Ready(OutboundSession session) implements PeerState {
        @Override
        public String label() {
            return "READY";
        }

        Broken broken(TransferException cause) {
            return new Broken(cause);
        }
    }

    /** The session was lost; the next call or the next probe greets again. */
    record Broken(TransferException cause) implements Disconnected {
        @Override
        public String label() {
            return "BROKEN";
        }

        @Override
        public int failures() {
            return 0;
        }
    }

    /**
     * The last handshake failed.
     *
     * @param failures consecutive ones
     * @param untilNanos calls before this fail at once; a probe greets again at this time
     */
    record Backoff(int failures, TransferException cause, long untilNanos) implements Disconnected {
        @Override
        public String label() {
            return "BACKOFF";
        }
    }

    /** Given up for good. */
    record Closed() implements PeerState {
        @Override
        public String label() {
            return "CLOSED";
        }
    }
}
