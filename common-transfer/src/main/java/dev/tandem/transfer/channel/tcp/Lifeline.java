package dev.tandem.transfer.channel.tcp;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;

/** Whether a connection lives, and how many threads are moving its bytes. Thread-safe. */
final class Lifeline {

    private final CompletableFuture<ChannelException> published = new CompletableFuture<>();
    private Optional<ChannelException> cause = Optional.empty();
    private int inside;

    /** @return false when the connection is over; else {@link #leave} must follow */
    synchronized boolean enter() {
        if (cause.isPresent()) {
            return false;
        }
        inside++;
        return true;
    }

    synchronized void leave() {
        inside--;
        notifyAll();
    }

    /** Lets nobody in any more. @return whether this is the first cause, the one that counts */
    synchronized boolean end(ChannelException reason) {
        if (cause.isPresent()) {
            return false;
        }
        cause = Optional.of(reason);
        return true;
    }

    synchronized Optional<ChannelException> cause() {
        return cause;
    }

    /** Tells the world; whoever waits is run by the calling thread. */
    void publish() {
        cause().ifPresent(published::complete);
    }

    CompletableFuture<ChannelException> published() {
        return published;
    }

    /** Waits until nobody is inside. @return whether that is so */
    synchronized boolean awaitEmpty(Deadline deadline) {
        try {
            while (inside > 0) {
                long left = deadline.remainingNanos();
                if (left == 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
