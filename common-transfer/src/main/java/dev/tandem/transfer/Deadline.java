package dev.tandem.transfer;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A point in time by which something must have ended. Counts on a monotonic clock, never on wall-clock time.
 *
 * @param atNanos reading of {@code clock} at the deadline
 * @param clock nanoseconds from an arbitrary origin, such as {@link System#nanoTime}
 */
public record Deadline(long atNanos, LongSupplier clock) {

    public static Deadline after(Duration duration) {
        return after(duration, System::nanoTime);
    }

    public static Deadline after(Duration duration, LongSupplier clock) {
        return new Deadline(clock.getAsLong() + duration.toNanos(), clock);
    }

    /** Nanoseconds left; zero once the deadline has passed. */
    public long remainingNanos() {
        return Math.max(0, atNanos - clock.getAsLong());
    }

    public Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    public boolean hasPassed() {
        return remainingNanos() == 0;
    }

    /** This deadline, or one {@code duration} from now if that is sooner. */
    public Deadline atMost(Duration duration) {
        return remainingNanos() <= duration.toNanos() ? this : after(duration, clock);
    }

    /** @throws TransferException TIMEOUT naming what was under way, if this deadline has passed */
    public void requireNotPassed(String what) {
        if (hasPassed()) {
            throw new TransferException(ErrorCode.TIMEOUT, "the deadline passed while " + what);
        }
    }
}
