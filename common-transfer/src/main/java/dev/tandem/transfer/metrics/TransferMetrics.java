package dev.tandem.transfer.metrics;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferMode;

/**
 * Names, units and tags of every meter. Prefix {@code tandem}; base units; the values of each tag are bounded.
 *
 * <p>Thread-safe.
 */
public final class TransferMetrics {

    private final MeterRegistry registry;
    private final AtomicInteger transfersInFlight;
    private final AtomicInteger requestsInFlight;

    public TransferMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.transfersInFlight = registry.gauge("tandem.kv_transfers_inflight", new AtomicInteger());
        this.requestsInFlight = registry.gauge("tandem.requests_inflight", new AtomicInteger());
    }

    /** @param side {@code sender} or {@code receiver} */
    public void handshakeDone(String side, Duration duration) {
        timer("tandem.handshake_duration", "side", side).record(duration);
    }

    /** @param side {@code sender} or {@code receiver} */
    public void handshakeFailed(String side, ErrorCode reason) {
        count("tandem.handshake_failures", "side", side, "reason", label(reason));
    }

    /** A receiver came back as another process. */
    public void peerIncarnationChanged() {
        count("tandem.peer_incarnation_changes");
    }

    /** @param kind what came too late, such as {@code reply}, {@code commit} or {@code notification} */
    public void staleMessageRejected(String kind) {
        count("tandem.stale_messages_rejected", "kind", kind);
    }

    /** @param kind why it could not be taken, such as {@code malformed} */
    public void messageRejected(String kind) {
        count("tandem.messages_rejected", "kind", kind);
    }

    public void allocWaited(Duration duration) {
        timer("tandem.alloc_wait").record(duration);
    }

    public void allocFailed(ErrorCode reason) {
        count("tandem.alloc_failures", "reason", label(reason));
    }

    /** An allocation by a sender that cannot commit: answered, never visible. */
    public void foreignAllocation() {
        count("tandem.foreign_allocations");
    }

    public void transferBegan() {
        transfersInFlight.incrementAndGet();
    }

    public void transferDone(TransferMode mode, String channel, Duration duration) {
        transfersInFlight.decrementAndGet();
        timer("tandem.kv_transfer_duration", "mode", label(mode), "channel", channel)
                .record(duration);
    }

    public void transferFailed(ErrorCode reason) {
        transfersInFlight.decrementAndGet();
        count("tandem.kv_transfer_failures", "reason", label(reason));
    }

    /** From the last chunk's computation to KV-ready: what the client waits for because of the transfer. */
    public void transferExposed(Duration duration) {
        timer("tandem.kv_transfer_exposed").record(duration);
    }

    /** @param direction {@code sent} or {@code received} */
    public void bytesMoved(String direction, String channel, long bytes) {
        Counter.builder("tandem.kv_transfer_bytes")
                .baseUnit("bytes")
                .tags("direction", direction, "channel", channel)
                .register(registry)
                .increment(bytes);
    }

    /** @param direction {@code sent} or {@code received} */
    public void chunksMoved(String direction, int chunks) {
        registry.counter("tandem.kv_transfer_chunks", "direction", direction).increment(chunks);
    }

    public void checksumMismatch() {
        count("tandem.kv_checksum_mismatches");
    }

    public void chunksReused(int chunks) {
        registry.counter("tandem.prefix_chunks_reused").increment(chunks);
    }

    public void kvReadyWaited(Duration duration) {
        timer("tandem.kv_ready_wait").record(duration);
    }

    public void kvReadyTimedOut() {
        count("tandem.kv_ready_timeouts");
    }

    public void leaseExpired() {
        count("tandem.leases_expired");
    }

    public void requestBegan() {
        requestsInFlight.incrementAndGet();
    }

    /** @param outcome {@code done}, {@code cancelled} or the error's code */
    public void requestEnded(String outcome, Duration duration) {
        requestsInFlight.decrementAndGet();
        count("tandem.requests", "outcome", outcome.toLowerCase(Locale.ROOT));
        timer("tandem.request_duration").record(duration);
    }

    public void firstToken(Duration sinceRequest) {
        timer("tandem.time_to_first_token").record(sinceRequest);
    }

    public void prefilled(Duration duration) {
        timer("tandem.prefill_duration").record(duration);
    }

    /** What was decided for a request: {@code remote}, {@code reuse} or {@code local}. */
    public void decided(String decision) {
        count("tandem.disagg_decisions", "decision", decision);
    }

    /** What really happened: {@code transferred}, {@code reused}, {@code recomputed}, {@code local} or {@code failed}. */
    public void kvOutcome(String outcome) {
        count("tandem.kv_outcomes", "outcome", outcome);
    }

    public void fellBack(ErrorCode reason) {
        count("tandem.fallbacks", "reason", label(reason));
    }

    /** @param phase where the request was when its client left */
    public void cancelled(String phase) {
        count("tandem.cancellations", "phase", phase.toLowerCase(Locale.ROOT));
    }

    /** Pages by state: {@code total}, {@code free}, {@code reserved}, {@code committed}, {@code pinned}, {@code quarantined}. */
    public <T> void pages(String state, T source, ToDoubleFunction<T> count) {
        Gauge.builder("tandem.pages", source, count).tag("state", state).register(registry);
    }

    public void leasesActive(Supplier<Number> count) {
        Gauge.builder("tandem.leases_active", count).register(registry);
    }

    /** Peers in a state. Not by peer, so that the number of series does not grow with theirs; health names each. */
    public void peersInState(String state, Supplier<Number> count) {
        Gauge.builder("tandem.peer_state", count)
                .tag("state", state.toLowerCase(Locale.ROOT))
                .register(registry);
    }

    private void count(String name, String... tags) {
        registry.counter(name, tags).increment();
    }

    private Timer timer(String name, String... tags) {
        return Timer.builder(name).tags(tags).publishPercentileHistogram().register(registry);
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
