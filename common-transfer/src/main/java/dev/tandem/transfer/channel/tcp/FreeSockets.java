package dev.tandem.transfer.channel.tcp;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.tandem.transfer.Deadline;

/** The sockets of a connection on which no batch is under way. Who waits for one waits in line. Thread-safe. */
final class FreeSockets {

    private final Semaphore count = new Semaphore(0, true);
    private final ArrayDeque<DrivingSocket> sockets = new ArrayDeque<>();

    /**
     * Takes the one that was used last: at its other end a worker may still be waiting for more.
     *
     * @return empty when the deadline passed first
     */
    Optional<DrivingSocket> take(Deadline deadline) throws InterruptedException {
        return count.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)
                ? Optional.of(pop())
                : Optional.empty();
    }

    void give(DrivingSocket socket) {
        push(socket);
        count.release();
    }

    private synchronized DrivingSocket pop() {
        return sockets.removeLast();
    }

    private synchronized void push(DrivingSocket socket) {
        sockets.addLast(socket);
    }

    /** Shows each that is free; nobody takes one meanwhile. */
    synchronized void show(Consumer<DrivingSocket> visitor) {
        sockets.forEach(visitor);
    }
}
