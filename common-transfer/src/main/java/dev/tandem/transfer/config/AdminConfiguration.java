package dev.tandem.transfer.config;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.context.annotation.Bean;

import dev.tandem.transfer.admin.AdminController;
import dev.tandem.transfer.handover.TransferLog;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.peer.PeerRegistry;

/** Puts the admin endpoints on the management port. */
@ManagementContextConfiguration(proxyBeanMethods = false)
class AdminConfiguration {

    @Bean
    AdminController adminController(PeerRegistry peers, TransferLog transfers, ChunkStore store) {
        return new AdminController(peers, transfers, store);
    }
}
