package dev.tandem.decode;

import java.time.Duration;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

import dev.tandem.decode.FrontDoorController.Call;
import dev.tandem.engine.DecodeRun;
import dev.tandem.engine.Engine;
import dev.tandem.engine.TokenText;
import dev.tandem.openai.ApiException;
import dev.tandem.openai.Completion.Usage;
import dev.tandem.openai.CompletionRequest;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.metrics.TransferMetrics;

/**
 * One request from its prompt to its last token: get the KV, answer the verdict, decode from the pages in place.
 *
 * <pre>ROUTED → PREFILLING, KV_WAITING ({@link KvSource}) → DECODING → DONE | FAILED(code) | CANCELLED</pre>
 *
 * <p>Thread-safe; blocks.
 */
@Component
class DisaggregatedCompletion {

    private static final Logger log = LoggerFactory.getLogger(DisaggregatedCompletion.class);

    private final Engine engine;
    private final KvSource source;
    private final FrontDoorProperties properties;
    private final TransferMetrics metrics;

    DisaggregatedCompletion(Engine engine, KvSource source, FrontDoorProperties properties, TransferMetrics metrics) {
        this.engine = engine;
        this.source = source;
        this.properties = properties;
        this.metrics = metrics;
    }

    /**
     * Serves a request.
     *
     * @throws TransferException or ApiException before the first byte; afterwards failures are told inside the stream
     */
    void complete(Call call, Answer answer) throws InterruptedException {
        long started = System.nanoTime();
        CompletionRequest request = call.request();
        int[] prompt = request.prompt().tokens(engine);
        int maxTokens = maxTokens(request, prompt.length);
        var wanted = new KvSource.Wanted(call.id(), prompt, request.sampling(), call.localOnly());
        try (Kv kv = source.obtain(wanted, call.deadline())) {
            answer.begin(kv.verdict());
            new Continuation(call, answer, prompt, started).decode(kv, maxTokens);
            metrics.kvOutcome(kv.verdict().label());
        } catch (Answer.ClientGoneException e) {
            metrics.cancelled("decoding");
            log.info("request {}: the client is gone", call.id());
        } catch (ApiException | TransferException e) {
            metrics.kvOutcome("failed");
            log.warn("request {} failed: {}", call.id(), e.getMessage());
            ApiException failure =
                    e instanceof TransferException transfer ? ApiException.of(transfer) : (ApiException) e;
            if (!answer.failed(failure)) {
                throw failure;
            }
        }
    }

    private int maxTokens(CompletionRequest request, int promptTokens) {
        int room = engine.contextTokens() - promptTokens;
        int wanted = request.maxTokens().orElse(Math.min(properties.defaultMaxTokens(), room));
        if (wanted > room) {
            throw new ApiException(
                    400,
                    "context_length_exceeded",
                    "max_tokens: %d and %d of the prompt are more than the model's %d; at most %d fit"
                            .formatted(wanted, promptTokens, engine.contextTokens(), room),
                    "max_tokens",
                    null,
                    null);
        }
        return wanted;
    }

    /** Generating and answering. Used by one thread. */
    private final class Continuation {

        private final Call call;
        private final Answer answer;
        private final int[] prompt;
        private final long started;
        private final TokenText text;
        private int tokens;

        Continuation(Call call, Answer answer, int[] prompt, long started) {
            this.call = call;
            this.answer = answer;
            this.prompt = prompt;
            this.started = started;
            this.text = engine.text(call.request().stops());
        }

        void decode(Kv kv, int maxTokens) throws InterruptedException {
            String reason = maxTokens == 0 ? "length" : generate(kv, maxTokens);
            if (!text.stopped()) {
                answer.text(text.rest());
            }
            answer.end(reason, Usage.of(prompt.length, tokens));
        }

        private String generate(Kv kv, int maxTokens) throws InterruptedException {
            try (DecodeRun run = engine.decode(
                    prompt,
                    kv.cachedTokens(),
                    List.of(kv.pages()),
                    call.request().sampling())) {
                while (tokens < maxTokens) {
                    requireTime();
                    int token = run.next();
                    if (token == DecodeRun.END) {
                        return "stop";
                    }
                    take(token);
                    if (text.stopped()) {
                        return "stop";
                    }
                }
                return "length";
            }
        }

        private void take(int token) {
            if (tokens++ == 0) {
                metrics.firstToken(Duration.ofNanos(System.nanoTime() - started));
            }
            answer.text(text.accept(token));
        }

        private void requireTime() {
            if (call.deadline().hasPassed()) {
                throw new TransferException(
                        ErrorCode.TIMEOUT, "the request's deadline passed after %d tokens".formatted(tokens));
            }
        }
    }
}
