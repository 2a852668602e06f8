package dev.tandem.transfer.health;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.peer.PeerRegistry;
import dev.tandem.transfer.peer.PeerView;

/**
 * Component {@code handshake}: every peer, its state and what is wrong with it. DEGRADED while a peer is not usable; a
 * remote peer never makes this node DOWN.
 */
public final class HandshakeHealthIndicator extends AbstractHealthIndicator {

    static final Status DEGRADED = new Status("DEGRADED", "some peers are not usable");

    private final PeerRegistry registry;

    public HandshakeHealthIndicator(PeerRegistry registry) {
        this.registry = registry;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<PeerView> peers = registry.peers();
        boolean degraded = peers.stream().anyMatch(peer -> peer.lastError().isPresent());
        var details = new LinkedHashMap<String, Object>();
        peers.forEach(peer -> details.put(peer.id(), describe(peer)));
        builder.status(degraded ? DEGRADED : Status.UP).withDetail("peers", details);
    }

    private static Map<String, Object> describe(PeerView peer) {
        var details = new LinkedHashMap<String, Object>();
        details.put("role", peer.role());
        details.put("state", peer.state());
        details.put("incarnation", peer.incarnation());
        details.put("generation", peer.generation());
        details.put("channel", peer.channel());
        details.put("since", peer.since().toString());
        details.put("consecutiveFailures", peer.consecutiveFailures());
        details.put("backoffLeft", peer.backoffLeft().toString());
        details.put("rtt", peer.roundTrip().toString());
        peer.lastError().ifPresent(error -> details.put("lastError", describe(error)));
        return details;
    }

    private static Map<String, Object> describe(TransferException error) {
        return Map.of("code", error.code().name(), "message", String.valueOf(error.getMessage()));
    }
}
