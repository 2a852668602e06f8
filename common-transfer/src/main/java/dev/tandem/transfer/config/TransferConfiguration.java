package dev.tandem.transfer.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import dev.tandem.engine.Engine;
import dev.tandem.engine.ReferenceEngine;
import dev.tandem.engine.ReferenceSettings;
import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.tcp.TcpChannel;
import dev.tandem.transfer.channel.tcp.TcpSettings;
import dev.tandem.transfer.handover.StoreGuard;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.memory.HostMemory;
import dev.tandem.transfer.memory.RegisteredBuffer;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.peer.Channels;
import dev.tandem.transfer.peer.Compatibility;
import dev.tandem.transfer.peer.HandshakeSettings;
import dev.tandem.transfer.wire.ZmqSockets;

/** What every node has: an engine, registered pages, a channel and a name. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({
    NodeProperties.class,
    TransferProperties.class,
    PeerProperties.class,
    AllocProperties.class,
    IntegrityProperties.class,
    EngineProperties.class,
    KvReadyProperties.class,
    AdminProperties.class
})
public class TransferConfiguration {

    @Bean
    Incarnation incarnation() {
        return Incarnation.random();
    }

    @Bean
    Drain drain(ApplicationEventPublisher events) {
        return new Drain(events);
    }

    @Bean
    TransferMetrics transferMetrics(MeterRegistry registry) {
        return new TransferMetrics(registry);
    }

    @Bean
    Engine engine(EngineProperties properties) {
        Optional<Path> folder =
                properties.modelPath().isEmpty() ? Optional.empty() : Optional.of(Path.of(properties.modelPath()));
        return ReferenceEngine.load(new ReferenceSettings(properties.chunkTokens(), 1, properties.threads(), folder));
    }

    @Bean
    HostMemory hostMemory() {
        return new HostMemory();
    }

    @Bean
    RegisteredBuffer registeredBuffer(HostMemory memory, Engine engine, TransferProperties properties) {
        long bytes = properties.bufferSize().toBytes();
        try {
            return RegisteredBuffer.allocate(
                    memory, UUID.randomUUID().toString(), bytes, engine.layout().pageBytes());
        } catch (IllegalArgumentException e) {
            throw new PropertyException(
                    "tandem.transfer.buffer-size: %s".formatted(e.getMessage()),
                    "A page is %d bytes; set a whole number of pages."
                            .formatted(engine.layout().pageBytes()));
        }
    }

    @Bean
    ChunkStore chunkStore(RegisteredBuffer buffer) {
        return new ChunkStore(List.of(buffer), System::nanoTime);
    }

    @Bean
    StoreGuard storeGuard(ChunkStore store) {
        return new StoreGuard(store);
    }

    @Bean
    TcpChannel tcpChannel(NodeProperties node, TransferProperties properties, RegisteredBuffer buffer) {
        TcpChannel channel = listen(TcpSettings.of(
                node.bindAddress(), node.host(), properties.dataPort(), properties.connectionsPerPeer()));
        channel.register(buffer.region());
        return channel;
    }

    private static TcpChannel listen(TcpSettings settings) {
        try {
            return new TcpChannel(settings);
        } catch (TransferException e) {
            throw new PortUnavailableException("tandem.transfer.data-port", e.message(), e);
        }
    }

    @Bean
    Channels channels(TcpChannel tcp) {
        return new Channels(List.of(tcp));
    }

    @Bean
    ZmqSockets zmqSockets() {
        return new ZmqSockets();
    }

    @Bean
    Compatibility compatibility(Engine engine) {
        return Compatibility.of(engine.modelId(), engine.ranks(), engine.layout());
    }

    /** The sender's name must differ between nodes of one host: the HTTP port tells them apart. */
    static String localId(PeerProperties peer, NodeProperties node, Environment environment) {
        return peer.localId().isEmpty()
                ? node.host() + ":" + environment.getProperty("server.port", "8080")
                : peer.localId();
    }

    static HandshakeSettings handshake(
            PeerProperties peer, Incarnation incarnation, Compatibility compatibility, String localId, int allocPort) {
        return new HandshakeSettings(
                localId,
                incarnation,
                0,
                allocPort,
                compatibility,
                peer.stepTimeout(),
                peer.lease(),
                peer.heartbeat(),
                peer.maxBackoff());
    }
}
