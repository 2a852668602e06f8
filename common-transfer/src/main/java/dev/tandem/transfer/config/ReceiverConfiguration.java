package dev.tandem.transfer.config;

import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import dev.tandem.engine.Engine;
import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.handover.AllocPort;
import dev.tandem.transfer.handover.KvArrivals;
import dev.tandem.transfer.handover.Receiver;
import dev.tandem.transfer.handover.ReceiverSettings;
import dev.tandem.transfer.handover.StoreGuard;
import dev.tandem.transfer.health.KvReadyHealthIndicator;
import dev.tandem.transfer.health.LoopsHealthIndicator;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.peer.Channels;
import dev.tandem.transfer.peer.Compatibility;
import dev.tandem.transfer.peer.InboundPeers;
import dev.tandem.transfer.peer.InitPort;
import dev.tandem.transfer.peer.ReceiverHandshakes;
import dev.tandem.transfer.wire.MessageCodec;
import dev.tandem.transfer.wire.RequestServer;
import dev.tandem.transfer.wire.ZmqSockets;

/** Makes a node a receiver: it answers handshakes and allocations, and holds what arrives. */
@Configuration(proxyBeanMethods = false)
@Import({TransferConfiguration.class, SharedConfiguration.class})
public class ReceiverConfiguration {

    private static final Duration REMEMBER_OUTCOMES = Duration.ofSeconds(60);

    @Bean
    InboundPeers inboundPeers(Incarnation incarnation, PeerProperties properties) {
        return new InboundPeers(incarnation, properties.maxPeers());
    }

    @Bean
    KvArrivals kvArrivals(KvReadyProperties properties, TransferMetrics metrics) {
        return new KvArrivals(properties.keepUnclaimed(), properties.maxUnclaimed(), System::nanoTime, metrics);
    }

    @Bean
    ReceiverSettings receiverSettings(
            Incarnation incarnation,
            Engine engine,
            ChunkStore store,
            TransferProperties transfer,
            AllocProperties alloc,
            PeerProperties peer) {
        return new ReceiverSettings(
                incarnation,
                0,
                engine.layout(),
                alloc.longestWait(),
                peer.lease(),
                REMEMBER_OUTCOMES,
                transfer.maxKeys(),
                store.counts().total() * transfer.foreignPages() / 100);
    }

    @Bean
    Receiver receiver(
            ReceiverSettings settings,
            InboundPeers peers,
            ChunkStore store,
            KvArrivals arrivals,
            Drain drain,
            TransferMetrics metrics) {
        return new Receiver(settings, peers, store, arrivals, drain::draining, metrics, System::nanoTime);
    }

    @Bean
    MeterBinder leaseGauge(TransferMetrics metrics, Receiver receiver) {
        return _ -> metrics.leasesActive(receiver::openTransfers);
    }

    @Bean
    Sweeper leaseSweeper(Receiver receiver, PeerProperties peer) {
        return new Sweeper(receiver, peer.lease().dividedBy(20));
    }

    @Bean
    RequestServer allocServer(
            ZmqSockets sockets,
            NodeProperties node,
            TransferProperties transfer,
            Receiver receiver,
            TransferMetrics metrics) {
        var handler = new AllocPort(receiver, new MessageCodec(), transfer.dialect(), metrics);
        return serve(sockets, node, "tandem.transfer.alloc-port", transfer.allocPort(), handler);
    }

    @Bean
    ReceiverHandshakes receiverHandshakes(
            PeerProperties peer,
            NodeProperties node,
            Environment environment,
            Incarnation incarnation,
            Compatibility compatibility,
            RequestServer allocServer,
            InboundPeers peers,
            Channels channels,
            StoreGuard guard,
            Drain drain,
            TransferMetrics metrics) {
        String localId = TransferConfiguration.localId(peer, node, environment);
        return new ReceiverHandshakes(
                TransferConfiguration.handshake(peer, incarnation, compatibility, localId, allocServer.port()),
                peers,
                channels,
                guard,
                drain::draining,
                metrics);
    }

    @Bean
    RequestServer initServer(
            ZmqSockets sockets, NodeProperties node, TransferProperties transfer, ReceiverHandshakes handshakes) {
        var handler = new InitPort(handshakes, new MessageCodec());
        return serve(sockets, node, "tandem.transfer.init-port", transfer.initPort(), handler);
    }

    private static RequestServer serve(
            ZmqSockets sockets, NodeProperties node, String property, int port, RequestServer.Handler handler) {
        try {
            return new RequestServer(sockets, node.bindAddress(), port, handler);
        } catch (TransferException e) {
            throw new PortUnavailableException(property, String.valueOf(e.getMessage()), e);
        }
    }

    @Bean
    ReceiverPorts receiverPorts(NodeProperties node, RequestServer initServer, RequestServer allocServer) {
        return new ReceiverPorts(node.host(), List.of(initServer.port()), List.of(allocServer.port()));
    }

    @Bean
    LoopsHealthIndicator.Loop initLoop(RequestServer initServer) {
        return loop("init-port", initServer);
    }

    @Bean
    LoopsHealthIndicator.Loop allocLoop(RequestServer allocServer) {
        return loop("alloc-port", allocServer);
    }

    private static LoopsHealthIndicator.Loop loop(String name, RequestServer server) {
        return new ServerLoop(name, server);
    }

    /** A request server's socket thread. */
    private record ServerLoop(String name, RequestServer server) implements LoopsHealthIndicator.Loop {
        @Override
        public boolean alive() {
            return server.alive();
        }
    }

    @Bean
    KvReadyHealthIndicator kvReadyHealthIndicator(KvArrivals arrivals) {
        return new KvReadyHealthIndicator(arrivals);
    }
}
