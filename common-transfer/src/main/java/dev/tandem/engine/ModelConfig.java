package dev.tandem.engine;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The dimensions of a Llama-architecture model, as its {@code config.json} has them.
 *
 * @param hidden width of a token between layers
 * @param kvHeads heads of keys and values; divides {@code heads}
 * @param headSize width of a head, even
 * @param intermediate width of the MLP
 * @param contextTokens longest sequence
 */
record ModelConfig(
        int layers,
        int hidden,
        int heads,
        int kvHeads,
        int headSize,
        int intermediate,
        int contextTokens,
        float normEpsilon,
        double ropeTheta) {

    private static final int MAX_SIZE = 1 << 16;

    ModelConfig {
        if (heads % kvHeads != 0) {
            throw refused("num_attention_heads %d is no multiple of num_key_value_heads %d".formatted(heads, kvHeads));
        }
        if (headSize % 2 != 0) {
            throw refused("head_dim %d is odd".formatted(headSize));
        }
        if ((long) contextTokens * heads * headSize > Integer.MAX_VALUE) {
            throw refused("max_position_embeddings %d of %d heads of %d are too many numbers"
                    .formatted(contextTokens, heads, headSize));
        }
    }

    /**
     * Reads a {@code config.json}.
     *
     * @throws IllegalArgumentException naming the field that is missing, out of range or asks for what is not supported
     */
    static ModelConfig parse(byte[] json) {
        JsonNode config;
        try {
            config = JsonMapper.shared().readTree(json);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("config.json is not JSON: " + e.getOriginalMessage(), e);
        }
        requireSupported(config);
        return new ModelConfig(
                size(config, "num_hidden_layers"),
                size(config, "hidden_size"),
                size(config, "num_attention_heads"),
                size(config, "num_key_value_heads"),
                size(config, "head_dim"),
                size(config, "intermediate_size"),
                size(config, "max_position_embeddings"),
                (float) positive(config, "rms_norm_eps"),
                positive(config, "rope_theta"));
    }

    /** A field that means another computation than this engine's must say what this engine does. */
    private static void requireSupported(JsonNode config) {
        require(config, "model_type", "llama");
        require(config, "hidden_act", "silu");
        require(config, "tie_word_embeddings", "true");
        require(config, "vocab_size", Integer.toString(ByteTokens.VOCABULARY));
        require(config, "bos_token_id", Integer.toString(ByteTokens.BEGIN));
        require(config, "eos_token_id", Integer.toString(ByteTokens.END));
        if (config.path("attention_bias").asBoolean(false)) {
            throw refused("attention_bias is not supported");
        }
        if (config.hasNonNull("rope_scaling")) {
            throw refused("rope_scaling is not supported");
        }
    }

    private static void require(JsonNode config, String field, String wanted) {
        String found = config.path(field).asString("missing");
        if (!found.equals(wanted)) {
            throw refused("%s is %s, must be %s".formatted(field, found, wanted));
        }
    }

    private static int size(JsonNode config, String field) {
        JsonNode size = config.path(field);
        if (!size.isInt() || size.intValue() < 1 || size.intValue() > MAX_SIZE) {
            throw refused("%s is %s, must be an integer in 1..%d".formatted(field, size, MAX_SIZE));
        }
        return size.intValue();
    }

    private static double positive(JsonNode config, String field) {
        JsonNode number = config.path(field);
        if (!number.isNumber() || !(number.doubleValue() > 0)) {
            throw refused("%s is %s, must be a number above 0".formatted(field, number));
        }
        return number.doubleValue();
    }

    private static IllegalArgumentException refused(String why) {
        return new IllegalArgumentException("config.json: " + why);
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
