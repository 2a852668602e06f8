package dev.tandem.decode;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.tandem.engine.Engine;
import dev.tandem.openai.ApiException;
import dev.tandem.openai.CompletionRequest;
import dev.tandem.openai.RequestHeaders;
import dev.tandem.openai.RequestMeter;
import dev.tandem.transfer.Deadline;

/** {@code POST /v1/completions} of the front door: OpenAI-style, streamed or whole, one deadline per request. */
@RestController
class FrontDoorController {

    private final Engine engine;
    private final DisaggregatedCompletion completion;
    private final FrontDoorProperties properties;
    private final RequestMeter meter;
    private final JsonMapper json;
    private final Semaphore places;

    FrontDoorController(
            Engine engine,
            DisaggregatedCompletion completion,
            FrontDoorProperties properties,
            RequestMeter meter,
            JsonMapper json) {
        this.engine = engine;
        this.completion = completion;
        this.properties = properties;
        this.meter = meter;
        this.json = json;
        this.places = new Semaphore(properties.maxConcurrent());
    }

    @PostMapping("/v1/completions")
    void complete(
            @RequestBody JsonNode body,
            @RequestHeader(name = RequestHeaders.ID, required = false) @Nullable String givenId,
            @RequestHeader(name = RequestHeaders.TIMEOUT, required = false) @Nullable String givenTimeout,
            @RequestHeader(name = RequestHeaders.LOCAL, defaultValue = "false") boolean localOnly,
            HttpServletResponse response)
            throws Exception {
        String id = RequestHeaders.id(givenId);
        response.setHeader(RequestHeaders.ID, id);
        meter.count(() -> {
            Deadline deadline = RequestHeaders.deadline(givenTimeout, properties.requestTimeout());
            CompletionRequest request = CompletionRequest.parse(body, engine.modelId());
            var answer = new Answer(id, engine.modelId(), request, response, json);
            return inPlace(() -> completion.complete(new Call(id, request, localOnly, deadline), answer));
        });
    }

    /** A piece of work that blocks. */
    private interface Work {
        void run() throws InterruptedException;
    }

    private boolean inPlace(Work work) throws InterruptedException {
        if (!places.tryAcquire()) {
            throw ApiException.busy(
                    "too_many_requests",
                    "%d requests are under way already".formatted(properties.maxConcurrent()),
                    Duration.ofSeconds(1));
        }
        try {
            work.run();
            return true;
        } finally {
            places.release();
        }
    }

    /** One client request. */
    record Call(String id, CompletionRequest request, boolean localOnly, Deadline deadline) {}
}
