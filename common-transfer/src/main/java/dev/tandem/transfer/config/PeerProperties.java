package dev.tandem.transfer.config;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How peers are greeted and kept.
 *
 * @param localId This sender's name at its receivers, unique among them; empty means host and HTTP port.
 * @param stepTimeout How long one step of a handshake may take, the accept included.
 * @param lease How long a reservation lasts without a heartbeat.
 * @param heartbeat How often a sender says that it lives.
 * @param maxBackoff Longest pause between two attempts to greet a peer.
 * @param maxPeers Senders that a receiver holds at once.
 */
@Validated
@ConfigurationProperties("tandem.peer")
public record PeerProperties(
        @DefaultValue("") String localId,
        @NotNull @DefaultValue("5s") Duration stepTimeout,
        @NotNull @DefaultValue("30s") Duration lease,
        @NotNull @DefaultValue("5s") Duration heartbeat,
        @NotNull @DefaultValue("10s") Duration maxBackoff,
        @Min(1) @Max(100_000) @DefaultValue("1024") int maxPeers) {

    public PeerProperties {
        if (heartbeat.isZero()
                || heartbeat.isNegative()
                || heartbeat.multipliedBy(2).compareTo(lease) > 0) {
            throw new IllegalArgumentException(
                    "tandem.peer.heartbeat: %s must be positive and at most half of tandem.peer.lease (%s)"
                            .formatted(heartbeat, lease));
        }
        if (stepTimeout.isZero() || stepTimeout.isNegative()) {
            throw new IllegalArgumentException("tandem.peer.step-timeout: %s must be positive".formatted(stepTimeout));
        }
    }
}
