package dev.tandem.engine;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The dimensions of a Llama-architecture model, as its {@code config.json} has them. */
@JsonIgnoreProperties(ignoreUnknown = true)
record ModelConfig(
        @JsonProperty(value = "vocab_size", required = true) int vocabulary,

        @JsonProperty(value = "hidden_size", required = true)
        int hidden,

        @JsonProperty(value = "num_hidden_layers", required = true)
        int layers,

        @JsonProperty(value = "num_attention_heads", required = true)
        int heads,

        @JsonProperty(value = "num_key_value_heads", required = true)
        int kvHeads,

        @JsonProperty(value = "head_dim", required = true) int headSize,

        @JsonProperty(value = "intermediate_size", required = true)
        int intermediate,

        @JsonProperty(value = "rms_norm_eps", required = true)
        float normEpsilon,

        @JsonProperty(value = "rope_theta", required = true) double ropeTheta,

        @JsonProperty(value = "max_position_embeddings", required = true)
        int context,

        @JsonProperty(value = "bos_token_id", required = true)
        int begin,

        @JsonProperty(value = "eos_token_id", required = true)
        int end,

        @JsonProperty("tie_word_embeddings") boolean tiedEmbeddings) {

    ModelConfig {
        if (heads < 1 || kvHeads < 1 || heads % kvHeads != 0) {
            throw new IllegalArgumentException(
                    "config.json: num_attention_heads %d is no multiple of num_key_value_heads %d"
                            .formatted(heads, kvHeads));
        }
        if (headSize % 2 != 0) {
            throw new IllegalArgumentException("config.json: head_dim %d is odd".formatted(headSize));
        }
        if (!tiedEmbeddings) {
            throw new IllegalArgumentException("config.json: tie_word_embeddings must be true");
        }
    }

    /** Width of all query heads together. */
    int queryWidth() {
        return heads * headSize;
    }

    /** Width of all key (or value) heads together. */
    int kvWidth() {
        return kvHeads * headSize;
    }
}
