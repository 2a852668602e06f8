package dev.tandem.engine;

/**
 * A model's weights as 32-bit floats, matrices transposed to {@code [input][output]}: multiplying adds one scaled row
 * after the other to the output, which the compiler turns into vector instructions and which adds up in the same order
 * however many tokens are computed at once.
 */
final class Weights {

    final float[] embedding;
    final float[] output;
    final float[] finalNorm;
    final Layer[] layers;

    private Weights(float[] embedding, float[] output, float[] finalNorm, Layer[] layers) {
        this.embedding = embedding;
        this.output = output;
        this.finalNorm = finalNorm;
        this.layers = layers;
    }

    /** One layer's. */
    record Layer(
            float[] inputNorm,
            float[] query,
            float[] key,
            float[] value,
            float[] attentionOutput,
            float[] postNorm,
            float[] gate,
            float[] up,
            float[] down) {}

    /** @throws IllegalArgumentException when a tensor is missing or has another shape than the configuration says */
    static Weights of(Safetensors file, ModelConfig config) {
        float[] embedding = file.floats("model.embed_tokens.weight", config.vocabulary(), config.hidden());
        var layers = new Layer[config.layers()];
        for (int layer = 0; layer < layers.length; layer++) {
            layers[layer] = layer(file, config, "model.layers." + layer + ".");
        }
        return new Weights(
                embedding,
                transposed(embedding, config.vocabulary(), config.hidden()),
                file.floats("model.norm.weight", config.hidden()),
                layers);
    }

    private static Layer layer(Safetensors file, ModelConfig config, String prefix) {
        int hidden = config.hidden();
        return new Layer(
                file.floats(prefix + "input_layernorm.weight", hidden),
                matrix(file, prefix + "self_attn.q_proj.weight", config.queryWidth(), hidden),
                matrix(file, prefix + "self_attn.k_proj.weight", config.kvWidth(), hidden),
                matrix(file, prefix + "self_attn.v_proj.weight", config.kvWidth(), hidden),
                matrix(file, prefix + "self_attn.o_proj.weight", hidden, config.queryWidth()),
                file.floats(prefix + "post_attention_layernorm.weight", hidden),
                matrix(file, prefix + "mlp.gate_proj.weight", config.intermediate(), hidden),
                matrix(file, prefix + "mlp.up_proj.weight", config.intermediate(), hidden),
                matrix(file, prefix + "mlp.down_proj.weight", hidden, config.intermediate()));
    }

    private static float[] matrix(Safetensors file, String name, int outputs, int inputs) {
        return transposed(file.floats(name, outputs, inputs), outputs, inputs);
    }

    private static float[] transposed(float[] matrix, int rows, int columns) {
        var result = new float[matrix.length];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                result[column * rows + row] = matrix[row * columns + column];
            }
        }
        return result;
    }
}
