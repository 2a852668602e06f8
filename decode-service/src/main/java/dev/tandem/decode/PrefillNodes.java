package dev.tandem.decode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.tandem.openai.ApiException;
import dev.tandem.openai.RequestHeaders;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/** The prefill nodes, asked in turn over HTTP. Thread-safe; blocks. */
@Component
class PrefillNodes implements AutoCloseable {

    private static final int MAX_ERROR_TEXT = 300;

    private final List<URI> urls;
    private final JsonMapper json;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private final AtomicInteger turn = new AtomicInteger();

    PrefillNodes(FrontDoorProperties properties, JsonMapper json) {
        this.urls = properties.prefillUrls();
        this.json = json;
    }

    boolean none() {
        return urls.isEmpty();
    }

    /** The next node in turn. */
    URI next() {
        return urls.get(Math.floorMod(turn.getAndIncrement(), urls.size()));
    }

    /**
     * Asks a node to compute a prompt and hand its KV over; returns when the node says that it has.
     *
     * @throws TransferException why it has not: the node's code, PEER_LOST if it cannot be reached, TIMEOUT
     * @throws ApiException if the node says that the request itself is at fault
     */
    void prefill(URI node, PrefillCall call, Deadline deadline) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(node.resolve("/v1/completions"))
                .header("Content-Type", "application/json")
                .header(RequestHeaders.ID, call.requestId())
                .header(RequestHeaders.TIMEOUT, Math.max(1, deadline.remaining().toMillis()) + "ms")
                .timeout(deadline.remaining().plusMillis(1))
                .POST(HttpRequest.BodyPublishers.ofByteArray(json.writeValueAsBytes(call.body())))
                .build();
        HttpResponse<byte[]> response;
        try {
            response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (HttpTimeoutException e) {
            throw new TransferException(ErrorCode.TIMEOUT, "prefill node %s: no answer in time".formatted(node), e);
        } catch (IOException e) {
            throw new TransferException(ErrorCode.PEER_LOST, "prefill node %s: %s".formatted(node, e), e);
        }
        if (response.statusCode() != 200) {
            throw failure(node, response);
        }
    }

    private RuntimeException failure(URI node, HttpResponse<byte[]> response) {
        JsonNode error = error(response.body());
        String code = error.path("code").asString("");
        String message = error.path("message").asString("status " + response.statusCode());
        String text =
                "prefill node %s: %s".formatted(node, message.substring(0, Math.min(message.length(), MAX_ERROR_TEXT)));
        if (response.statusCode() == 400 && !code.startsWith("kv_")) {
            return new ApiException(400, code.isEmpty() ? "invalid_value" : code, text, null, null, null);
        }
        ErrorCode known = code.startsWith("kv_")
                ? ErrorCode.of(code.substring(3).toUpperCase(Locale.ROOT)).orElse(ErrorCode.INTERNAL)
                : ErrorCode.INTERNAL;
        return new TransferException(
                response.statusCode() == 503 && known == ErrorCode.INTERNAL ? ErrorCode.POOL_FULL : known, text);
    }

    private JsonNode error(byte[] body) {
        try {
            return json.readTree(body).path("error");
        } catch (JacksonException e) {
            return json.createObjectNode();
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
