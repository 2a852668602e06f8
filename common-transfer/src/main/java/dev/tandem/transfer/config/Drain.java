package dev.tandem.transfer.config;

import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Whether this node still takes new work. A shutdown begins by draining: not ready at once, peers are told, what is in
 * flight goes on until the grace period ends.
 */
public final class Drain implements SmartLifecycle {

    private final ApplicationEventPublisher events;
    private final AtomicBoolean draining = new AtomicBoolean();
    private volatile boolean running;

    Drain(ApplicationEventPublisher events) {
        this.events = events;
    }

    public boolean draining() {
        return draining.get();
    }

    /** What heartbeats say: {@code ready} or {@code draining}. */
    public String label() {
        return draining() ? "draining" : "ready";
    }

    /** Takes no new work from now on. Idempotent. */
    public void begin() {
        if (draining.compareAndSet(false, true)) {
            AvailabilityChangeEvent.publish(events, this, ReadinessState.REFUSING_TRAFFIC);
        }
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        begin();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the web server begins its own graceful shutdown. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
