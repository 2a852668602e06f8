package dev.tandem.transfer.config;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.handover.Receiver;
import dev.tandem.transfer.health.LoopsHealthIndicator;

/** Calls {@link Receiver#sweep} for as long as the node lives. */
final class Sweeper implements LoopsHealthIndicator.Loop, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Sweeper.class);

    private final Receiver receiver;
    private final Duration pause;
    private final Thread thread;
    private volatile boolean closed;

    Sweeper(Receiver receiver, Duration pause) {
        this.receiver = receiver;
        this.pause = pause;
        this.thread = Thread.ofVirtual().name("lease-sweeper").start(this::run);
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(pause.toNanos());
            try {
                receiver.sweep();
            } catch (RuntimeException e) {
                log.error("lease sweeper: one pass failed, the next goes on", e);
            }
        }
    }

    @Override
    public String name() {
        return "lease-sweeper";
    }

    @Override
    public boolean alive() {
        return thread.isAlive();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
