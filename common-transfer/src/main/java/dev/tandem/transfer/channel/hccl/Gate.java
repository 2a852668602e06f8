package dev.tandem.transfer.channel.hccl;

import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.Deadline;

/** Counts the transfers of one connection that are under way, and lets none begin once it is shut. */
final class Gate {

    private int inside;
    private boolean shut;

    /** @return false when it is shut; otherwise {@link #leave} must follow */
    synchronized boolean enter() {
        if (shut) {
            return false;
        }
        inside++;
        return true;
    }

    synchronized void leave() {
        inside--;
        notifyAll();
    }

    synchronized void shut() {
        shut = true;
    }

    /** @return whether it is shut now; not while someone is inside */
    synchronized boolean shutIfEmpty() {
        shut |= inside == 0;
        return shut;
    }

    synchronized boolean isEmpty() {
        return inside == 0;
    }

    /** @return whether everyone had left by the deadline */
    synchronized boolean awaitEmpty(Deadline deadline) {
        try {
            while (inside > 0 && !deadline.hasPassed()) {
                TimeUnit.NANOSECONDS.timedWait(this, deadline.remainingNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return inside == 0;
    }
}
