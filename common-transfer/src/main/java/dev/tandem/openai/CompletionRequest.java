package dev.tandem.openai;

import java.util.List;
import java.util.Optional;

import tools.jackson.databind.JsonNode;

import dev.tandem.engine.Engine;
import dev.tandem.engine.Sampling;

/**
 * A checked {@code /v1/completions} body. Fields that this surface does not know are ignored.
 *
 * @param prompt what to continue
 * @param maxTokens most tokens to generate, 0 allowed; empty means the default
 * @param sampling how to choose them
 * @param stops texts that end the continuation
 * @param stream whether to answer with server-sent events
 * @param includeUsage whether a stream ends with a usage event
 * @param transfer what a proxy asks of a prefill node, if it does
 */
public record CompletionRequest(
        Prompt prompt,
        Optional<Integer> maxTokens,
        Sampling sampling,
        List<String> stops,
        boolean stream,
        boolean includeUsage,
        Optional<TransferParams> transfer) {

    /** A prompt is text or token ids. */
    public sealed interface Prompt {

        /**
         * The prompt's token ids, at least one.
         *
         * @throws ApiException 400 when there are none, too many, or ids that the model does not have
         */
        default int[] tokens(Engine engine) {
            int[] ids = switch (this) {
                case Text(var text) -> engine.tokenize(text);
                case Tokens(var given) -> given;
            };
            if (ids.length == 0) {
                throw ApiException.badField("prompt", "no tokens; an empty text has one, the begin token");
            }
            if (ids.length > engine.contextTokens()) {
                throw new ApiException(
                        400,
                        "context_length_exceeded",
                        "prompt: %d tokens, the model takes %d".formatted(ids.length, engine.contextTokens()),
                        "prompt",
                        null,
                        null);
            }
            for (int i = 0; i < ids.length; i++) {
                if (ids[i] < 0 || ids[i] >= engine.vocabulary()) {
                    throw ApiException.badField(
                            "prompt", "token %d is %d, not in 0..%d".formatted(i, ids[i], engine.vocabulary() - 1));
                }
            }
            return ids;
        }

        /** Text to tokenize. */
        record Text(String text) implements Prompt {}

        /** Token ids as they are. */
        record Tokens(int[] ids) implements Prompt {}
    }

    /**
     * Reads a body.
     *
     * @param model the only model this service runs
     * @throws ApiException 400 naming the field and the value, 404 for another model
     */
    public static CompletionRequest parse(JsonNode body, String model) {
        var fields = new Fields(body);
        String wanted = fields.text("model").orElse(model);
        if (!wanted.equals(model)) {
            throw new ApiException(
                    404,
                    "model_not_found",
                    "model: %s is not served here, %s is".formatted(wanted, model),
                    "model",
                    null,
                    null);
        }
        fields.refuseAbove("n", 1, "one choice per request is served");
        fields.refuseAbove("best_of", 1, "one choice per request is served");
        Optional<Integer> maxTokens =
                fields.integer("max_tokens", 0).or(() -> fields.integer("max_completion_tokens", 0));
        return new CompletionRequest(
                fields.prompt(),
                maxTokens,
                fields.sampling(),
                fields.stops(),
                fields.flag("stream"),
                new Fields(body.path("stream_options")).flag("include_usage"),
                TransferParams.parse(body.path("kv_transfer_params")));
    }
}
