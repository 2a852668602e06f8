package dev.tandem.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of the front door that streams a completion. */
final class FrontDoorClient {

    private final HttpClient http;
    private final URI completions;
    private final JsonMapper json = JsonMapper.builder().build();

    FrontDoorClient(HttpClient http, ServiceProcess.Ports ports) {
        this.http = http;
        this.completions = URI.create(ports.url() + "/v1/completions");
    }

    /** What came back. */
    record Reply(String kv, String text, long firstTokenNanos) {}

    /**
     * Sends a prompt.
     *
     * @param local whether the decode node is to compute everything itself
     * @param pieces gets the text as it comes
     * @throws IllegalStateException with the body when the answer is an error
     */
    Reply complete(String prompt, int maxTokens, boolean local, Consumer<String> pieces)
            throws IOException, InterruptedException {
        byte[] body = json.writeValueAsBytes(
                Map.of("prompt", prompt, "max_tokens", maxTokens, "temperature", 0, "stream", true));
        HttpRequest request = HttpRequest.newBuilder(completions)
                .header("Content-Type", "application/json")
                .header("X-Tandem-Local", Boolean.toString(local))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        long sent = System.nanoTime();
        HttpResponse<Stream<String>> response = http.send(request, HttpResponse.BodyHandlers.ofLines());
        try (Stream<String> lines = response.body()) {
            if (response.statusCode() != 200) {
                throw new IllegalStateException("the front door answered %d: %s"
                        .formatted(response.statusCode(), String.join("\n", lines.toList())));
            }
            String kv = response.headers().firstValue("X-Tandem-Kv").orElse("?");
            return read(lines.iterator(), kv, sent, pieces);
        }
    }

    private Reply read(Iterator<String> lines, String kv, long sent, Consumer<String> pieces) {
        var text = new StringBuilder();
        long firstToken = 0;
        while (lines.hasNext()) {
            String line = lines.next();
            if (!line.startsWith("data: ") || line.equals("data: [DONE]")) {
                continue;
            }
            JsonNode event = json.readTree(line.substring("data: ".length()));
            if (event.has("error")) {
                throw new IllegalStateException("the stream ended with an error: " + event);
            }
            String piece = event.path("choices").path(0).path("text").asString("");
            if (firstToken == 0 && !piece.isEmpty()) {
                firstToken = System.nanoTime() - sent;
            }
            text.append(piece);
            pieces.accept(piece);
        }
        return new Reply(kv, text.toString(), firstToken);
    }
}
