package dev.tandem.prefill;

import java.util.Optional;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.tandem.transfer.config.SenderConfiguration;
import dev.tandem.transfer.peer.PeerInitService;
import dev.tandem.transfer.peer.PeerRegistry;

/** Makes this node a sender. */
@Configuration(proxyBeanMethods = false)
@Import(SenderConfiguration.class)
@EnableConfigurationProperties(PrefillProperties.class)
class PrefillConfiguration {

    @Bean
    PeerRegistry peerRegistry(PeerInitService receivers) {
        return new PeerRegistry(Optional.of(receivers), Optional.empty());
    }
}
