package dev.tandem.openai;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, or of one event of a stream.
 *
 * @param usage in whole answers and, if asked for, in a stream's last event
 * @param kvTransferParams what a prefill node tells a proxy
 * @param tandem how the KV came about, in whole answers and in a stream's last event
 */
public record Completion(
        String id,
        String object,
        long created,
        String model,
        List<Choice> choices,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Usage usage,

        @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("kv_transfer_params") @Nullable
        FirstToken kvTransferParams,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Verdict tandem) {

    /** The one continuation. */
    public record Choice(
            int index,
            String text,
            @Nullable Object logprobs,
            @JsonProperty("finish_reason") @Nullable String finishReason) {
        public static Choice of(String text, @Nullable String finishReason) {
            return new Choice(0, text, null, finishReason);
        }
    }

    /** Tokens used. */
    public record Usage(
            @JsonProperty("prompt_tokens") int promptTokens,
            @JsonProperty("completion_tokens") int completionTokens,
            @JsonProperty("total_tokens") int totalTokens) {
        public static Usage of(int promptTokens, int completionTokens) {
            return new Usage(promptTokens, completionTokens, promptTokens + completionTokens);
        }
    }

    /** The token that follows the prompt. */
    public record FirstToken(@JsonProperty("first_tok") int firstToken) {}

    /** How the KV came about: {@code transferred}, {@code reused}, {@code recomputed} or {@code local}. */
    public record Verdict(String kv) {}
}
