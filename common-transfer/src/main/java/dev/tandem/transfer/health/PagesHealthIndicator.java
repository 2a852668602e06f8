package dev.tandem.transfer.health;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.memory.PageCounts;

/** Component {@code pages}: the page pool by state. */
public final class PagesHealthIndicator extends AbstractHealthIndicator {

    private final ChunkStore store;

    public PagesHealthIndicator(ChunkStore store) {
        this.store = store;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        PageCounts counts = store.counts();
        builder.up()
                .withDetail("total", counts.total())
                .withDetail("free", counts.free())
                .withDetail("reserved", counts.reserved())
                .withDetail("committed", counts.committed())
                .withDetail("pinned", counts.pinned())
                .withDetail("quarantined", counts.quarantined());
    }
}
