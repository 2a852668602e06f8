package dev.tandem.transfer.health;

import java.util.LinkedHashMap;
import java.util.List;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Component {@code loops}, and the heart of liveness: the threads this process cannot do without. */
public final class LoopsHealthIndicator extends AbstractHealthIndicator {

    private final List<Loop> loops;

    /** One thread that runs for the process's life. */
    public interface Loop {

        String name();

        boolean alive();
    }

    public LoopsHealthIndicator(List<Loop> loops) {
        this.loops = List.copyOf(loops);
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        var details = new LinkedHashMap<String, Object>();
        loops.forEach(loop -> details.put(loop.name(), loop.alive() ? "alive" : "dead"));
        boolean allAlive = loops.stream().allMatch(Loop::alive);
        builder.status(allAlive ? Status.UP : Status.DOWN).withDetails(details);
    }
}
