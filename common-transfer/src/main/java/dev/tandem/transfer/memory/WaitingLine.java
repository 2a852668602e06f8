package dev.tandem.transfer.memory;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.IntSupplier;

import dev.tandem.transfer.Deadline;

/**
 * Who waits for pages, first come first served: only the head looks whether it fits, so that small requests cannot
 * starve a large one. Guarded by the store's lock.
 */
final class WaitingLine {

    private final Lock lock;
    private final ArrayDeque<Waiter> line = new ArrayDeque<>();
    /** What the head lacked when it last looked, less what was gained since. */
    private int shortfall;

    WaitingLine(Lock lock) {
        this.lock = lock;
    }

    boolean isEmpty() {
        return line.isEmpty();
    }

    /**
     * Waits until this request is at the head and its shortfall is not above zero.
     *
     * @param missingPages how many pages the request lacks now; each {@link #gained} lessens it by one at most
     * @return false if the deadline passed first
     */
    boolean await(IntSupplier missingPages, Deadline deadline) throws InterruptedException {
        var waiter = new Waiter(lock.newCondition());
        line.addLast(waiter);
        try {
            while (!fits(waiter, missingPages)) {
                if (deadline.hasPassed()) {
                    return false;
                }
                // The deadline is read anew above: it may count on another clock.
                long _ = waiter.turn.awaitNanos(deadline.remainingNanos());
            }
            return true;
        } finally {
            leave(waiter);
        }
    }

    /** A page became free or evictable, or a chunk became present. */
    void gained() {
        shortfall--;
        if (shortfall == 0 && !line.isEmpty()) {
            line.getFirst().turn.signal();
        }
    }

    private boolean fits(Waiter waiter, IntSupplier missingPages) {
        if (line.getFirst() != waiter) {
            return false;
        }
        shortfall = missingPages.getAsInt();
        return shortfall <= 0;
    }

    private void leave(Waiter waiter) {
        boolean wasHead = line.getFirst() == waiter;
        line.remove(waiter);
        if (wasHead && !line.isEmpty()) {
            line.getFirst().turn.signal();
        }
    }

    private static final class Waiter {

        private final Condition turn;

        Waiter(Condition turn) {
            this.turn = turn;
        }
    }
}
