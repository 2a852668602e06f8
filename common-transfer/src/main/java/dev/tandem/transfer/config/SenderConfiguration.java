package dev.tandem.transfer.config;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.handover.Sender;
import dev.tandem.transfer.handover.StoreGuard;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.peer.Channels;
import dev.tandem.transfer.peer.Compatibility;
import dev.tandem.transfer.peer.HandshakeSettings;
import dev.tandem.transfer.peer.PeerInitService;
import dev.tandem.transfer.wire.KvReadyNotifier;
import dev.tandem.transfer.wire.ZmqSockets;

/** Makes a node a sender: it greets receivers and hands KV to them. */
@Configuration(proxyBeanMethods = false)
@Import({TransferConfiguration.class, SharedConfiguration.class})
public class SenderConfiguration {

    @Bean
    HandshakeSettings handshakeSettings(
            PeerProperties peer,
            NodeProperties node,
            Environment environment,
            Incarnation incarnation,
            Compatibility compatibility) {
        String localId = TransferConfiguration.localId(peer, node, environment);
        return TransferConfiguration.handshake(peer, incarnation, compatibility, localId, 0);
    }

    @Bean
    PeerInitService peerInitService(
            HandshakeSettings settings,
            Channels channels,
            StoreGuard guard,
            ZmqSockets sockets,
            Drain drain,
            TransferMetrics metrics) {
        return new PeerInitService(settings, channels, guard, sockets, drain::label, metrics);
    }

    @Bean
    Sender sender(
            PeerInitService peers,
            TransferProperties transfer,
            IntegrityProperties integrity,
            TransferMetrics metrics) {
        return new Sender(
                peers,
                new Sender.Settings(integrity.checksum(), transfer.requestTimeout(), transfer.writeTimeout()),
                metrics);
    }

    @Bean
    KvReadyNotifier kvReadyNotifier(ZmqSockets sockets, BeanFactory beans) {
        return new KvReadyNotifier(sockets, beans);
    }
}
