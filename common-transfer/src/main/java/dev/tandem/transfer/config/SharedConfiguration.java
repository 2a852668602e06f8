package dev.tandem.transfer.config;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;

import dev.tandem.engine.Engine;
import dev.tandem.transfer.admin.AdminToken;
import dev.tandem.transfer.admin.AdminTokenFilter;
import dev.tandem.transfer.health.EngineHealthIndicator;
import dev.tandem.transfer.health.HandshakeHealthIndicator;
import dev.tandem.transfer.health.LoopsHealthIndicator;
import dev.tandem.transfer.health.PagesHealthIndicator;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.peer.PeerRegistry;

/** What an operator sees and may do, the same on both services. */
@Configuration(proxyBeanMethods = false)
class SharedConfiguration {

    @Bean
    HandshakeHealthIndicator handshakeHealthIndicator(PeerRegistry registry) {
        return new HandshakeHealthIndicator(registry);
    }

    @Bean
    PagesHealthIndicator pagesHealthIndicator(ChunkStore store) {
        return new PagesHealthIndicator(store);
    }

    @Bean
    EngineHealthIndicator engineHealthIndicator(Engine engine) {
        return new EngineHealthIndicator(engine);
    }

    @Bean
    LoopsHealthIndicator loopsHealthIndicator(ObjectProvider<LoopsHealthIndicator.Loop> loops) {
        return new LoopsHealthIndicator(loops.orderedStream().toList());
    }

    /** Bound here, so that every gauge is there before the first scrape. */
    @Bean
    MeterBinder nodeGauges(TransferMetrics metrics, ChunkStore store, PeerRegistry registry) {
        return _ -> {
            metrics.pages("total", store, source -> source.counts().total());
            metrics.pages("free", store, source -> source.counts().free());
            metrics.pages("reserved", store, source -> source.counts().reserved());
            metrics.pages("committed", store, source -> source.counts().committed());
            metrics.pages("pinned", store, source -> source.counts().pinned());
            metrics.pages("quarantined", store, source -> source.counts().quarantined());
            for (String state : PeerRegistry.STATES) {
                metrics.peersInState(state, () -> registry.inState(state));
            }
        };
    }

    @Bean
    AdminToken adminToken(AdminProperties properties) {
        return AdminToken.of(properties.token(), properties.tokenFile());
    }

    @Bean
    @Order(1)
    SecurityFilterChain adminSecurity(HttpSecurity http, AdminToken token) throws Exception {
        return plain(http)
                .securityMatcher("/admin/**")
                .addFilterBefore(new AdminTokenFilter(token), AuthorizationFilter.class)
                .build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain openSecurity(HttpSecurity http) throws Exception {
        return plain(http).build();
    }

    private static HttpSecurity plain(HttpSecurity http) throws Exception {
        return http.csrf(AbstractHttpConfigurer::disable)
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .requestCache(AbstractHttpConfigurer::disable)
                .anonymous(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable);
    }
}
