package dev.tandem.transfer.peer;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.springframework.stereotype.Service;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.PeerId;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.wire.RequestClient;
import dev.tandem.transfer.wire.ZmqSockets;

/**
 * Makes receivers ready for a sender: greets each on first use, once, however many callers want it at that moment, and
 * never lets one receiver's handshake delay another's.
 *
 * <p>Thread-safe. Closing it lets every receiver go.
 */
@Service
public class PeerInitService implements AutoCloseable {

    private final HandshakeSettings settings;
    private final SenderHandshake handshake;
    private final Supplier<String> ownState;
    private final TransferMetrics metrics;
    private final AtomicLong generations = new AtomicLong();
    private final ConcurrentHashMap<PeerId, OutboundPeer> peers = new ConcurrentHashMap<>();

    /**
     * @param ownState what this sender's heartbeats say of it: {@code ready} or {@code draining}
     */
    public PeerInitService(
            HandshakeSettings settings,
            Channels channels,
            MemoryGuard guard,
            ZmqSockets sockets,
            Supplier<String> ownState,
            TransferMetrics metrics) {
        this.settings = settings;
        this.ownState = ownState;
        this.metrics = metrics;
        this.handshake = new SenderHandshake(
                settings, channels, guard, (peer, port) -> new RequestClient(sockets, peer.host(), port));
    }

    /**
     * A session with this receiver; greets it if there is none. Blocks until the handshake's outcome or the deadline.
     *
     * @throws TransferException naming the handshake's step that failed; BACKING_OFF at once while the pause after
     *     repeated failures lasts; TIMEOUT at the deadline, while the handshake goes on for others
     */
    public OutboundSession ready(PeerId receiver, Deadline deadline) throws InterruptedException {
        CompletableFuture<OutboundSession> outcome = peer(receiver).outcome();
        try {
            return outcome.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw TransferException.of(e);
        } catch (TimeoutException e) {
            throw new TransferException(
                    ErrorCode.TIMEOUT, "handshake with %s: not ready by the request's deadline".formatted(receiver), e);
        }
    }

    private OutboundPeer peer(PeerId receiver) {
        return peers.computeIfAbsent(
                receiver, id -> new OutboundPeer(id, handshake, settings, ownState, metrics, generations));
    }

    /** Every receiver that was ever asked for and not closed since. */
    List<OutboundPeer> peers() {
        return List.copyOf(peers.values());
    }

    Optional<OutboundPeer> find(PeerId receiver) {
        return Optional.ofNullable(peers.get(receiver));
    }

    /** Lets a receiver go and forgets it. */
    public void forget(PeerId receiver) {
        Optional.ofNullable(peers.remove(receiver)).ifPresent(OutboundPeer::close);
    }

    @Override
    public void close() {
        List.copyOf(peers.keySet()).forEach(this::forget);
    }
}
