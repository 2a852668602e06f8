package dev.tandem.transfer.config;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

import dev.tandem.transfer.TransferMode;
import dev.tandem.transfer.wire.AllocDialect;

/**
 * How KV moves.
 *
 * @param channel Fabric that carries KV; auto takes the best that both sides have.
 * @param mode Who moves the bytes.
 * @param initPort Port of the handshake server; 0 takes any free port.
 * @param allocPort Port of the allocation server; 0 takes any free port.
 * @param dataPort Port of the tcp channel; 0 takes any free port.
 * @param connectionsPerPeer Connections of the tcp channel to each peer.
 * @param bufferSize Size of the registered buffer; a whole number of pages.
 * @param dialect Which upstream's allocation replies to speak.
 * @param maxKeys Most keys in one request.
 * @param foreignPages Share of the pages, in percent, that senders which cannot commit may hold.
 * @param requestTimeout How long a sender waits for an answer on the allocation port.
 * @param writeTimeout How long one batch may take on the channel.
 */
@Validated
@ConfigurationProperties("tandem.transfer")
public record TransferProperties(
        @NotNull @DefaultValue("auto") ChannelChoice channel,
        @NotNull @DefaultValue("push") TransferMode mode,
        @Min(0) @Max(65_535) @DefaultValue("7300") int initPort,
        @Min(0) @Max(65_535) @DefaultValue("7400") int allocPort,
        @Min(0) @Max(65_535) @DefaultValue("0") int dataPort,
        @Min(1) @Max(64) @DefaultValue("2") int connectionsPerPeer,
        @NotNull @DefaultValue("96MB") DataSize bufferSize,
        @NotNull @DefaultValue("ascend") AllocDialect dialect,
        @Min(1) @Max(1_000_000) @DefaultValue("16384") int maxKeys,
        @Min(0) @Max(100) @DefaultValue("25") int foreignPages,
        @NotNull @DefaultValue("5s") Duration requestTimeout,
        @NotNull @DefaultValue("10s") Duration writeTimeout) {

    public TransferProperties {
        if (mode != TransferMode.PUSH) {
            throw new IllegalArgumentException("tandem.transfer.mode: %s is not served yet; set push".formatted(mode));
        }
    }

    /** Which fabric to use. */
    public enum ChannelChoice {
        AUTO,
        TCP
    }
}
