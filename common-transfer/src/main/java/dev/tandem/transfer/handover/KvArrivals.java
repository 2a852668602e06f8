package dev.tandem.transfer.handover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.metrics.TransferMetrics;

/**
 * Where requests wait until their KV is there: on every rank, of this attempt.
 *
 * <p>Expect first, then let the prefill begin, so that an early arrival cannot be missed. What arrives for a request
 * that nobody expects is kept for a bounded time and number. Committed chunks stay pinned until the request that
 * expected them is closed. Thread-safe.
 */
public final class KvArrivals {

    private final Duration keepUnclaimed;
    private final int maxUnclaimed;
    private final LongSupplier nanoClock;
    private final TransferMetrics metrics;
    private final Map<String, Record> records = new LinkedHashMap<>();
    private final LongAdder ready = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder expired = new LongAdder();

    /**
     * @param keepUnclaimed how long an arrival that nobody expects is kept
     * @param maxUnclaimed how many of those are kept; beyond, the oldest go
     */
    public KvArrivals(Duration keepUnclaimed, int maxUnclaimed, LongSupplier nanoClock, TransferMetrics metrics) {
        this.keepUnclaimed = keepUnclaimed;
        this.maxUnclaimed = maxUnclaimed;
        this.nanoClock = nanoClock;
        this.metrics = metrics;
    }

    /**
     * Begins to wait for a request's KV.
     *
     * @param reqId names one attempt; unique among those waiting
     * @param ranks how many ranks must report
     * @throws TransferException BAD_REQUEST when somebody already waits under this id
     */
    public synchronized Arrival expect(String reqId, int ranks) {
        dropExpired();
        Record record = records.computeIfAbsent(reqId, _ -> new Record(nanoClock.getAsLong()));
        if (record.arrival != null) {
            throw new TransferException(ErrorCode.BAD_REQUEST, "req_id %s: already waited for".formatted(reqId));
        }
        var arrival = new Arrival(reqId, ranks);
        record.arrival = arrival;
        settle(record);
        return arrival;
    }

    /**
     * One rank has committed all of a request's chunks.
     *
     * @param held what keeps the chunks pinned; closed when the request ends, or soon if nobody expects it
     */
    void committed(String reqId, int rank, AutoCloseable held) {
        List<AutoCloseable> released = new ArrayList<>();
        synchronized (this) {
            Record record = records.computeIfAbsent(reqId, _ -> new Record(nanoClock.getAsLong()));
            record.ranks.add(rank);
            record.held.add(held);
            settle(record);
            released.addAll(boundUnclaimed());
        }
        released.forEach(KvArrivals::release);
    }

    /** One rank will not deliver; ends the request's wait at once. Ignored when nobody waits. */
    void failed(String reqId, TransferException cause) {
        Arrival arrival;
        synchronized (this) {
            Record record = records.get(reqId);
            arrival = record == null ? null : record.arrival;
        }
        if (arrival != null) {
            arrival.fail(cause);
        }
    }

    private void settle(Record record) {
        Arrival arrival = record.arrival;
        if (arrival != null && record.ranks.size() >= arrival.ranks && arrival.outcome.complete(null)) {
            ready.increment();
        }
    }

    /** Lets go of unclaimed arrivals that are too old; call it now and then. */
    public void sweep() {
        List<AutoCloseable> released;
        synchronized (this) {
            released = dropExpired();
        }
        released.forEach(KvArrivals::release);
    }

    private List<AutoCloseable> dropExpired() {
        long oldest = nanoClock.getAsLong() - keepUnclaimed.toNanos();
        return dropUnclaimed(record -> record.sinceNanos - oldest < 0);
    }

    private List<AutoCloseable> boundUnclaimed() {
        long surplus = records.values().stream()
                        .filter(record -> record.arrival == null)
                        .count()
                - maxUnclaimed;
        var left = new long[] {surplus};
        return surplus <= 0 ? List.of() : dropUnclaimed(_ -> left[0]-- > 0);
    }

    private List<AutoCloseable> dropUnclaimed(Predicate<Record> which) {
        var released = new ArrayList<AutoCloseable>();
        for (Iterator<Record> each = records.values().iterator(); each.hasNext(); ) {
            Record record = each.next();
            if (record.arrival == null && which.test(record)) {
                each.remove();
                released.addAll(record.held);
                expired.increment();
                metrics.staleMessageRejected("arrival");
            }
        }
        return released;
    }

    private static void release(AutoCloseable held) {
        try {
            held.close();
        } catch (Exception e) {
            throw new IllegalStateException("releasing pins", e);
        }
    }

    /** Requests that wait now. */
    public synchronized int waiting() {
        return (int) records.values().stream()
                .filter(record -> record.arrival != null && !record.arrival.outcome.isDone())
                .count();
    }

    /** Age of the wait that has lasted longest; zero when nobody waits. */
    public synchronized Duration oldestWait() {
        long now = nanoClock.getAsLong();
        return records.values().stream()
                .filter(record -> record.arrival != null && !record.arrival.outcome.isDone())
                .map(record -> Duration.ofNanos(now - record.arrival.sinceNanos))
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** Arrivals that nobody has expected yet. */
    public synchronized int unclaimed() {
        return (int) records.values().stream()
                .filter(record -> record.arrival == null)
                .count();
    }

    public long readyTotal() {
        return ready.sum();
    }

    public long failedTotal() {
        return failed.sum();
    }

    /** Waits that ended at their deadline, and arrivals that nobody came for. */
    public long expiredTotal() {
        return expired.sum();
    }

    /** What has arrived for one req_id, and who waits for it. Guarded by the arrivals. */
    private static final class Record {

        private final long sinceNanos;
        private final Set<Integer> ranks = new HashSet<>();
        private final List<AutoCloseable> held = new ArrayList<>();
        private @Nullable Arrival arrival;

        Record(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    /** One attempt's wait. Closing it lets go of the chunks' pins, so lease them first. */
    public final class Arrival implements AutoCloseable {

        private final String reqId;
        private final int ranks;
        private final long sinceNanos = nanoClock.getAsLong();
        private final CompletableFuture<Void> outcome = new CompletableFuture<>();

        private Arrival(String reqId, int ranks) {
            this.reqId = reqId;
            this.ranks = ranks;
        }

        public String reqId() {
            return reqId;
        }

        /**
         * Waits until the KV of every rank is committed.
         *
         * @throws TransferException with the cause that ended the wait, or TIMEOUT naming the ranks that are missing
         */
        public void await(Deadline deadline) throws InterruptedException {
            try {
                outcome.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
                metrics.kvReadyWaited(Duration.ofNanos(nanoClock.getAsLong() - sinceNanos));
            } catch (ExecutionException e) {
                throw TransferException.of(e);
            } catch (TimeoutException e) {
                metrics.kvReadyTimedOut();
                expired.increment();
                throw new TransferException(
                        ErrorCode.TIMEOUT, "KV not ready by the deadline; missing ranks: " + missingRanks(), e);
            }
        }

        /** Ends the wait because the KV will not come, such as when prefill answered an error. */
        public void fail(TransferException cause) {
            if (outcome.completeExceptionally(cause)) {
                failed.increment();
            }
        }

        private List<Integer> missingRanks() {
            synchronized (KvArrivals.this) {
                Record record = records.get(reqId);
                return IntStream.range(0, ranks)
                        .filter(rank -> record == null || !record.ranks.contains(rank))
                        .boxed()
                        .toList();
            }
        }

        @Override
        public void close() {
            Record record;
            synchronized (KvArrivals.this) {
                record = records.get(reqId);
                if (record == null || record.arrival != this) {
                    return;
                }
                records.remove(reqId);
            }
            outcome.cancel(false);
            record.held.forEach(KvArrivals::release);
        }
    }
}
