package dev.tandem.prefill;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.stereotype.Component;

import dev.tandem.openai.ApiException;
import dev.tandem.transfer.Deadline;

/** Bounds how many prompts are under way and how many wait; refuses early what would wait too long. Thread-safe. */
@Component
class Admission {

    private final Semaphore permits;
    private final int maxQueued;
    private final AtomicInteger queued = new AtomicInteger();

    Admission(PrefillProperties properties) {
        this.permits = new Semaphore(properties.maxConcurrent(), true);
        this.maxQueued = properties.maxQueued();
    }

    /** A place among the prompts under way; given back by closing it, once. */
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /** @throws ApiException 503 when the queue is full or no place is free by the deadline */
    Place enter(Deadline deadline) throws InterruptedException {
        if (queued.incrementAndGet() > maxQueued + permits.availablePermits()) {
            queued.decrementAndGet();
            throw ApiException.busy(
                    "queue_full", "%d prompts wait already".formatted(maxQueued), Duration.ofSeconds(1));
        }
        try {
            if (!permits.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw ApiException.busy("queue_timeout", "no place by the request's deadline", Duration.ofSeconds(1));
            }
        } finally {
            queued.decrementAndGet();
        }
        return permits::release;
    }
}
