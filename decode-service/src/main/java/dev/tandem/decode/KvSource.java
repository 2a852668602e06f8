package dev.tandem.decode;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

import dev.tandem.decode.FrontDoorProperties.OnFailure;
import dev.tandem.decode.Kv.Verdict;
import dev.tandem.engine.Engine;
import dev.tandem.engine.Sampling;
import dev.tandem.openai.ApiException;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.config.ReceiverPorts;
import dev.tandem.transfer.handover.KvArrivals;
import dev.tandem.transfer.metrics.TransferMetrics;

/**
 * Gets a request its KV: what is here already, else what a prefill node hands over, else, within bounds, by computing it
 * here. Every wait ends by the request's deadline. Thread-safe; blocks.
 */
@Component
class KvSource {

    private static final Logger log = LoggerFactory.getLogger(KvSource.class);

    /** Failures that another attempt, maybe at another node, may not meet. */
    private static final Set<ErrorCode> WORTH_ANOTHER = Set.of(
            ErrorCode.PEER_LOST,
            ErrorCode.STALE,
            ErrorCode.SUPERSEDED,
            ErrorCode.UNKNOWN_PEER,
            ErrorCode.LEASE_EXPIRED);

    private final KvLookup lookup;
    private final PrefillNodes nodes;
    private final KvArrivals arrivals;
    private final ReceiverPorts ports;
    private final Engine engine;
    private final FrontDoorProperties frontDoor;
    private final RecomputeProperties recompute;
    private final Semaphore recomputing;
    private final TransferMetrics metrics;

    KvSource(
            KvLookup lookup,
            PrefillNodes nodes,
            KvArrivals arrivals,
            ReceiverPorts ports,
            Engine engine,
            FrontDoorProperties frontDoor,
            RecomputeProperties recompute,
            TransferMetrics metrics) {
        this.lookup = lookup;
        this.nodes = nodes;
        this.arrivals = arrivals;
        this.ports = ports;
        this.engine = engine;
        this.frontDoor = frontDoor;
        this.recompute = recompute;
        this.recomputing = new Semaphore(recompute.maxConcurrent());
        this.metrics = metrics;
    }

    /**
     * Whose KV.
     *
     * @param requestId the client's correlation id
     * @param localOnly the client wants this node to compute everything
     */
    record Wanted(String requestId, int[] prompt, Sampling sampling, boolean localOnly) {}

    /**
     * Gets the KV.
     *
     * @return it; to be closed
     * @throws TransferException why there is none, where the policy is to fail
     * @throws ApiException 503 when too much is being recomputed already
     */
    Kv obtain(Wanted wanted, Deadline deadline) throws InterruptedException {
        if (wanted.localOnly() || nodes.none()) {
            metrics.decided("local");
            return Kv.computedHere(Verdict.LOCAL, () -> {});
        }
        var here = lookup.find(wanted.prompt(), Verdict.REUSED);
        metrics.decided(here.isPresent() ? "reuse" : "remote");
        return here.isPresent() ? here.get() : transfer(wanted, deadline);
    }

    private Kv transfer(Wanted wanted, Deadline deadline) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return transferOnce(wanted, deadline);
            } catch (TransferException e) {
                log.warn(
                        "request {}: attempt {} failed: {}: {}", wanted.requestId(), attempt, e.code(), e.getMessage());
                boolean again = attempt < frontDoor.attempts() && WORTH_ANOTHER.contains(e.code());
                if (!again || deadline.hasPassed()) {
                    return recompute(wanted, e, deadline);
                }
            }
        }
    }

    /** One attempt under an id of its own: first expect the KV, then let the prefill begin. */
    private Kv transferOnce(Wanted wanted, Deadline deadline) throws InterruptedException {
        String attempt = UUID.randomUUID().toString();
        try (KvArrivals.Arrival arrival = arrivals.expect(attempt, engine.ranks())) {
            Thread prefill =
                    Thread.ofVirtual().name("prefill-" + attempt).start(() -> prefill(wanted, arrival, deadline));
            try {
                arrival.await(deadline);
            } catch (TransferException | InterruptedException e) {
                prefill.interrupt();
                throw e;
            }
            return lookup.find(wanted.prompt(), Verdict.TRANSFERRED)
                    .orElseThrow(() -> new TransferException(
                            ErrorCode.INTERNAL,
                            "KV of attempt %s is committed but not the prompt's".formatted(attempt)));
        }
    }

    private void prefill(Wanted wanted, KvArrivals.Arrival arrival, Deadline deadline) {
        try {
            nodes.prefill(nodes.next(), call(wanted, arrival.reqId()), deadline);
        } catch (TransferException e) {
            arrival.fail(e);
        } catch (ApiException e) {
            arrival.fail(new TransferException(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()), e));
        } catch (InterruptedException e) {
            arrival.fail(new TransferException(ErrorCode.ABORTED, "the request is over", e));
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            arrival.fail(new TransferException(ErrorCode.INTERNAL, "asking prefill: " + e, e));
        }
    }

    private PrefillCall call(Wanted wanted, String attempt) {
        var spec = new PrefillCall.Spec(attempt, ports.host(), ports.initPorts(), ports.allocPorts(), true);
        return new PrefillCall(
                wanted.requestId(),
                new PrefillCall.Body(
                        engine.modelId(),
                        wanted.prompt(),
                        1,
                        wanted.sampling().temperature(),
                        wanted.sampling().topP(),
                        wanted.sampling().seed(),
                        false,
                        new PrefillCall.Params(true, spec)));
    }

    private Kv recompute(Wanted wanted, TransferException cause, Deadline deadline) {
        boolean allowed = frontDoor.onFailure() == OnFailure.RECOMPUTE && cause.code() != ErrorCode.BAD_REQUEST;
        if (!allowed || deadline.hasPassed()) {
            throw new TransferException(cause.code(), String.valueOf(cause.getMessage()), cause);
        }
        if (wanted.prompt().length > recompute.maxTokens()) {
            throw ApiException.busy(
                    "recompute_too_long",
                    "no KV (%s), and %d tokens are more than this node recomputes (%d)"
                            .formatted(cause.getMessage(), wanted.prompt().length, recompute.maxTokens()),
                    Duration.ofSeconds(1));
        }
        if (!recomputing.tryAcquire()) {
            throw ApiException.busy(
                    "recompute_busy",
                    "no KV (%s), and %d prompts are recomputed already"
                            .formatted(cause.getMessage(), recompute.maxConcurrent()),
                    Duration.ofSeconds(1));
        }
        metrics.fellBack(cause.code());
        return Kv.computedHere(Verdict.RECOMPUTED, recomputing::release);
    }
}
