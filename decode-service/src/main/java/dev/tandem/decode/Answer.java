package dev.tandem.decode;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import dev.tandem.openai.ApiException;
import dev.tandem.openai.Completion;
import dev.tandem.openai.CompletionRequest;
import dev.tandem.openai.RequestHeaders;

/**
 * The answer to one client, whole or streamed. Nothing is sent before the verdict on the KV is known, so that every
 * failure before that has a real status code. Each event goes out at once, as one HTTP chunk of whole characters.
 *
 * <p>Used by one thread.
 */
final class Answer {

    /** The client is gone; there is nobody to tell. */
    static final class ClientGoneException extends UncheckedIOException {
        private static final long serialVersionUID = 1L;

        ClientGoneException(IOException cause) {
            super("the client is gone", cause);
        }
    }

    private final String id;
    private final String model;
    private final boolean stream;
    private final boolean includeUsage;
    private final HttpServletResponse response;
    private final JsonMapper json;
    private final long created = Instant.now().getEpochSecond();
    private final StringBuilder whole = new StringBuilder();
    private Kv.@Nullable Verdict verdict;

    Answer(String id, String model, CompletionRequest request, HttpServletResponse response, JsonMapper json) {
        this.id = "cmpl-" + id;
        this.model = model;
        this.stream = request.stream();
        this.includeUsage = request.includeUsage();
        this.response = response;
        this.json = json;
    }

    /** The verdict is known; headers go out with the first byte. */
    void begin(Kv.Verdict known) {
        verdict = known;
        response.setHeader(RequestHeaders.KV, known.label());
        if (stream) {
            response.setContentType("text/event-stream");
            response.setCharacterEncoding(StandardCharsets.UTF_8);
            response.setHeader("Cache-Control", "no-store");
            response.setHeader("X-Accel-Buffering", "no");
            send("");
        }
    }

    /** More of the continuation. */
    void text(String piece) {
        if (piece.isEmpty()) {
            return;
        }
        if (stream) {
            event(body(piece, null, null, null));
        } else {
            whole.append(piece);
        }
    }

    /**
     * The continuation is complete.
     *
     * @param finishReason {@code stop} or {@code length}
     */
    void end(String finishReason, Completion.Usage usage) {
        var said = new Completion.Verdict(label());
        if (!stream) {
            write(json.writeValueAsBytes(body(whole.toString(), finishReason, usage, said)));
            return;
        }
        event(body("", finishReason, null, said));
        if (includeUsage) {
            event(new Completion(id, "text_completion", created, model, List.of(), usage, null, null));
        }
        send("data: [DONE]\n\n");
    }

    /**
     * Tells of a failure inside a stream that has begun: an error event, and no more.
     *
     * @return false if nothing has been sent, so that the failure can still be a status code
     */
    boolean failed(ApiException failure) {
        if (!stream || verdict == null) {
            return false;
        }
        event(failure.body());
        return true;
    }

    private String label() {
        return verdict == null ? "" : verdict.label();
    }

    private Completion body(
            String text,
            @Nullable String finishReason,
            Completion.@Nullable Usage usage,
            Completion.@Nullable Verdict said) {
        var choice = Completion.Choice.of(text, finishReason);
        return new Completion(id, "text_completion", created, model, List.of(choice), usage, null, said);
    }

    private void event(Object body) {
        send("data: " + json.writeValueAsString(body) + "\n\n");
    }

    private void send(String text) {
        try {
            OutputStream out = response.getOutputStream();
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new ClientGoneException(e);
        }
    }

    private void write(byte[] body) {
        response.setContentType("application/json");
        response.setContentLength(body.length);
        try {
            response.getOutputStream().write(body);
        } catch (IOException e) {
            throw new ClientGoneException(e);
        }
    }
}
