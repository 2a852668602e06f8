package dev.tandem.bench;

import java.time.Duration;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Puts one completion together from the lines of its server-sent events. Used by one thread. */
final class EventStream {

    private static final String DATA = "data:";
    private static final String DONE = "[DONE]";

    private final JsonMapper json;
    private final long startedNanos;
    private final Consumer<String> pieces;
    private final StringBuilder text = new StringBuilder();
    private Duration firstToken = Duration.ZERO;
    private String finishReason = "";
    private int tokens;
    private boolean complete;

    /**
     * @param startedNanos {@link System#nanoTime} when the request was sent
     * @param pieces gets the text as it comes
     */
    EventStream(JsonMapper json, long startedNanos, Consumer<String> pieces) {
        this.json = json;
        this.startedNanos = startedNanos;
        this.pieces = pieces;
    }

    /** @throws LaunchException if the line tells of an error */
    void take(String line) {
        if (!line.startsWith(DATA)) {
            return;
        }
        String data = line.substring(DATA.length()).strip();
        if (data.equals(DONE)) {
            complete = true;
            return;
        }
        take(json.readTree(data));
    }

    private void take(JsonNode event) {
        if (event.has("error")) {
            throw new LaunchException("the stream broke off: " + event.path("error"));
        }
        JsonNode choice = event.path("choices").path(0);
        text(choice.path("text").asString(""));
        finishReason = choice.path("finish_reason").asString(finishReason);
        tokens = event.path("usage").path("completion_tokens").asInt(tokens);
    }

    private void text(String piece) {
        if (piece.isEmpty()) {
            return;
        }
        if (text.isEmpty()) {
            firstToken = Duration.ofNanos(System.nanoTime() - startedNanos);
        }
        text.append(piece);
        pieces.accept(piece);
    }

    /** Whether the server has said that this is all. */
    boolean complete() {
        return complete;
    }

    /**
     * @param kv how the KV came about
     * @throws LaunchException if the stream has not been complete
     */
    Continuation end(String kv) {
        if (!complete) {
            throw new LaunchException("the stream ended early, after \"%s\"".formatted(text));
        }
        return new Continuation(text.toString(), tokens, finishReason, kv, firstToken);
    }
}
