package dev.tandem.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import tools.jackson.databind.json.JsonMapper;

import dev.tandem.transfer.Deadline;

/** A client of a front door's {@code /v1/completions} that streams. Thread-safe; blocks. */
final class FrontDoor {

    private final HttpClient http;
    private final URI url;
    private final JsonMapper json = JsonMapper.shared();

    FrontDoor(HttpClient http, URI url) {
        this.http = http;
        this.url = url.resolve("/v1/completions");
    }

    /** What to continue, greedily, by at most so many tokens. */
    record Ask(String prompt, int maxTokens) {}

    /** Who computes the prompt. */
    enum Route {
        /** A prefill node, whose KV is then handed over. */
        PAIR,
        /** The decode node itself. */
        LOCAL
    }

    /**
     * Asks, and waits for the end of the continuation.
     *
     * @param pieces gets the continuation as it comes, on another thread
     * @throws LaunchException if it is refused, breaks off, or is not complete in time
     */
    Continuation complete(Ask ask, Route route, Consumer<String> pieces, Deadline deadline)
            throws InterruptedException {
        var exchange = new FutureTask<>(() -> exchange(request(ask, route, deadline), pieces));
        Thread.ofVirtual().name("completion").start(exchange);
        try {
            return exchange.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new LaunchException("%s: not complete in time".formatted(url), e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LaunchException known
                    ? known
                    : new LaunchException("%s: %s".formatted(url, e.getCause()), e);
        } finally {
            exchange.cancel(true);
        }
    }

    private HttpRequest request(Ask ask, Route route, Deadline deadline) {
        var body = Map.of(
                "prompt", ask.prompt(),
                "max_tokens", ask.maxTokens(),
                "temperature", 0,
                "stream", true,
                "stream_options", Map.of("include_usage", true));
        var request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/json")
                .timeout(deadline.remaining().plusMillis(1))
                .POST(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)));
        return (route == Route.LOCAL ? request.header("X-Tandem-Local", "true") : request).build();
    }

    private Continuation exchange(HttpRequest request, Consumer<String> pieces)
            throws IOException, InterruptedException {
        long started = System.nanoTime();
        HttpResponse<Stream<String>> response = http.send(request, BodyHandlers.ofLines());
        try (Stream<String> lines = response.body()) {
            if (response.statusCode() != 200) {
                throw new LaunchException("%s answered %d: %s"
                        .formatted(url, response.statusCode(), lines.collect(Collectors.joining("\n"))));
            }
            var events = new EventStream(json, started, pieces);
            for (Iterator<String> line = lines.iterator(); !events.complete() && line.hasNext(); ) {
                events.take(line.next());
            }
            return events.end(response.headers().firstValue("X-Tandem-Kv").orElse("(none)"));
        }
    }
}
