package dev.tandem.prefill;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

import dev.tandem.engine.Engine;
import dev.tandem.engine.TokenText;
import dev.tandem.openai.ApiException;
import dev.tandem.openai.Completion;
import dev.tandem.openai.CompletionRequest;
import dev.tandem.openai.RequestHeaders;
import dev.tandem.openai.RequestMeter;
import dev.tandem.openai.TransferParams;
import dev.tandem.prefill.Prefiller.Destination;
import dev.tandem.prefill.Prefiller.Prefilled;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.PeerId;
import dev.tandem.transfer.TransferException;

/**
 * {@code POST /v1/completions} of a prefill node: computes the prompt and one token, and hands the KV to the receiver
 * that {@code kv_transfer_params} names.
 */
@RestController
class PrefillController {

    private static final Logger log = LoggerFactory.getLogger(PrefillController.class);

    private final Engine engine;
    private final Prefiller prefiller;
    private final Admission admission;
    private final Notifications notifications;
    private final PrefillProperties properties;
    private final RequestMeter meter;

    PrefillController(
            Engine engine,
            Prefiller prefiller,
            Admission admission,
            Notifications notifications,
            PrefillProperties properties,
            RequestMeter meter) {
        this.engine = engine;
        this.prefiller = prefiller;
        this.admission = admission;
        this.notifications = notifications;
        this.properties = properties;
        this.meter = meter;
    }

    @PostMapping("/v1/completions")
    ResponseEntity<Completion> complete(
            @RequestBody JsonNode body,
            @RequestHeader(name = RequestHeaders.ID, required = false) @Nullable String givenId,
            @RequestHeader(name = RequestHeaders.TIMEOUT, required = false) @Nullable String givenTimeout)
            throws Exception {
        String id = RequestHeaders.id(givenId);
        Completion completion = meter.count(() -> {
            Deadline deadline = RequestHeaders.deadline(givenTimeout, properties.requestTimeout());
            return prefill(id, CompletionRequest.parse(body, engine.modelId()), deadline);
        });
        return ResponseEntity.ok().header(RequestHeaders.ID, id).body(completion);
    }

    private Completion prefill(String id, CompletionRequest request, Deadline deadline) throws InterruptedException {
        requireOneToken(request);
        int[] prompt = request.prompt().tokens(engine);
        Optional<TransferParams> params = request.transfer();
        Set<String> targets = params.map(notifications::targets).orElse(Set.of());
        Optional<Destination> destination = params.map(this::destination);
        var settlement = new Settlement(admission.enter(deadline), notifications, params, targets);
        Prefilled prefilled;
        try {
            prefilled = settlement.own(prefiller.prefill(prompt, request.sampling(), destination, deadline));
        } catch (RuntimeException | InterruptedException e) {
            settlement.failed(e);
            throw e;
        }
        if (params.map(TransferParams::awaitTransfer).orElse(true)) {
            settlement.settle();
        } else {
            settleInBackground(id, settlement);
        }
        return answer(id, prompt.length, prefilled.firstToken());
    }

    private static void requireOneToken(CompletionRequest request) {
        request.maxTokens().filter(tokens -> tokens > 1).ifPresent(tokens -> {
            throw ApiException.badField("max_tokens", "%d; a prefill node computes one token".formatted(tokens));
        });
        if (request.stream()) {
            throw ApiException.badField("stream", "true; a prefill node answers one token at once");
        }
    }

    private Destination destination(TransferParams params) {
        if (params.initPorts().size() != engine.ranks()) {
            throw ApiException.badField(
                    "kv_transfer_params.disagg_spec.receiver_init_port",
                    "%d ranks, this node has %d".formatted(params.initPorts().size(), engine.ranks()));
        }
        var receiver = new PeerId(params.receiverHost(), params.initPorts().getFirst());
        return new Destination(receiver, params.allocPorts().getFirst(), params.reqId());
    }

    /** A proxy wants the first token at once and learns the outcome of the transfer from its ProxyNotif. */
    private static void settleInBackground(String id, Settlement settlement) {
        Thread.ofVirtual().name("settle-" + id).start(() -> {
            try {
                settlement.settle();
            } catch (TransferException e) {
                log.warn("request {}: transfer failed: {}: {}", id, e.code(), e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private Completion answer(String id, int promptTokens, int firstToken) {
        boolean ended = engine.ends(firstToken);
        TokenText text = engine.text(List.of());
        String piece = ended ? "" : text.accept(firstToken) + text.rest();
        return new Completion(
                "cmpl-" + id,
                "text_completion",
                Instant.now().getEpochSecond(),
                engine.modelId(),
                List.of(Completion.Choice.of(piece, ended ? "stop" : "length")),
                Completion.Usage.of(promptTokens, ended ? 0 : 1),
                new Completion.FirstToken(firstToken),
                null);
    }
}
