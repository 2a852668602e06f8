package dev.tandem.decode;

import java.util.Optional;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.tandem.transfer.config.ReceiverConfiguration;
import dev.tandem.transfer.peer.InboundPeers;
import dev.tandem.transfer.peer.PeerRegistry;

/** Makes this node a receiver. */
@Configuration(proxyBeanMethods = false)
@Import(ReceiverConfiguration.class)
@EnableConfigurationProperties({FrontDoorProperties.class, RecomputeProperties.class})
class DecodeConfiguration {

    @Bean
    PeerRegistry peerRegistry(InboundPeers senders) {
        return new PeerRegistry(Optional.empty(), Optional.of(senders));
    }
}
