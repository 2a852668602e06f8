package dev.tandem.transfer.health;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.tandem.transfer.handover.KvArrivals;

/** Component {@code kvReady}: who waits for KV, for how long, and how the waits before ended. */
public final class KvReadyHealthIndicator extends AbstractHealthIndicator {

    private final KvArrivals arrivals;

    public KvReadyHealthIndicator(KvArrivals arrivals) {
        this.arrivals = arrivals;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.up()
                .withDetail("waiting", arrivals.waiting())
                .withDetail("oldestWait", arrivals.oldestWait().toString())
                .withDetail("ready", arrivals.readyTotal())
                .withDetail("failed", arrivals.failedTotal())
                .withDetail("expired", arrivals.expiredTotal())
                .withDetail("unclaimed", arrivals.unclaimed());
    }
}
