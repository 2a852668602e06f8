package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/**
 * The communicators of one device: bounded, as each takes device memory. When there is no room the least recently used
 * idle connection is closed; its peer is greeted again when it is next used.
 *
 * <p>Only connections that this side has transferred on count as idle: the passive side of one-sided transfers cannot
 * see whether its peer uses one.
 */
final class OpenConnections {

    /** A connection that was used just now is not idle, however full it is. */
    private static final Duration JUST_NOW = Duration.ofSeconds(1);

    private final int most;
    private final Semaphore room;
    private final Set<HcclConnection> open = ConcurrentHashMap.newKeySet();

    OpenConnections(int most) {
        this.most = most;
        this.room = new Semaphore(most);
    }

    /**
     * Takes room for a communicator; {@link #release} gives it back.
     *
     * @throws ChannelException when there is none by the deadline
     */
    void acquire(Deadline deadline) {
        try {
            if (!room.tryAcquire()) {
                Optional<HcclConnection> evicted = closeLeastRecentlyUsed(JUST_NOW);
                if (evicted.isEmpty() || !room.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                    throw new ChannelException(
                            Reason.BROKEN, "hccl: %d communicators are open and none is idle".formatted(most));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChannelException(Reason.CLOSED, "hccl: interrupted", e);
        }
    }

    void release() {
        room.release();
    }

    /** Whether all room has been given back. */
    boolean isEmpty() {
        return room.availablePermits() == most;
    }

    /** Until it is closed. */
    void add(HcclConnection connection) {
        open.add(connection);
        CompletableFuture<Void> _ = connection.closed().thenAccept(_ -> open.remove(connection));
    }

    List<HcclConnection> all() {
        return List.copyOf(open);
    }

    /** @return how many were closed */
    int closeIdle(Duration idleAfter) {
        int closed = 0;
        while (closeLeastRecentlyUsed(idleAfter).isPresent()) {
            closed++;
        }
        return closed;
    }

    private synchronized Optional<HcclConnection> closeLeastRecentlyUsed(Duration idleAfter) {
        return open.stream()
                .filter(connection -> connection.idleNanos() >= idleAfter.toNanos())
                .sorted(Comparator.comparingLong(HcclConnection::idleNanos).reversed())
                .filter(HcclConnection::closeIfIdle)
                .findFirst();
    }
}
