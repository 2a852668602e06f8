package dev.tandem.transfer.health;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.tandem.engine.Engine;

/** Component {@code engine}: which model this node runs. */
public final class EngineHealthIndicator extends AbstractHealthIndicator {

    private final Engine engine;

    public EngineHealthIndicator(Engine engine) {
        this.engine = engine;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.up()
                .withDetail("model", engine.modelId())
                .withDetail("contextTokens", engine.contextTokens())
                .withDetail("ranks", engine.ranks());
    }
}
