package dev.tandem.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * The arithmetic of a Llama-architecture model with tied embeddings, in 32-bit floats.
 *
 * <p>A token's result is bitwise the same whether it is computed alone or with others, from pages or from memory, on one
 * rank or more: every sum is taken in the same order. Immutable, thread-safe.
 */
final class ReferenceModel {

    private final ModelConfig config;
    private final float[] embedding;
    private final List<TransformerLayer> layers;
    private final RmsNorm finalNorm;
    private final Matrix head;

    /** @throws IllegalArgumentException when a tensor is missing or has another shape than the configuration says */
    ReferenceModel(ModelFiles files) {
        config = files.config();
        embedding = files.weights().floats("model.embed_tokens.weight", ByteTokens.VOCABULARY, config.hidden());
        var rotary = new Rotary(config);
        var all = new ArrayList<TransformerLayer>();
        for (int index = 0; index < config.layers(); index++) {
            all.add(new TransformerLayer(files, index, rotary));
        }
        layers = List.copyOf(all);
        finalNorm = new RmsNorm(files.weights().floats("model.norm.weight", config.hidden()), config.normEpsilon());
        head = Matrix.transposed(embedding, ByteTokens.VOCABULARY, config.hidden());
    }

    ModelConfig config() {
        return config;
    }

    List<TransformerLayer> layers() {
        return layers;
    }

    /** What goes into the first layer for a token. */
    void embed(int token, float[] hidden) {
        System.arraycopy(embedding, token * config.hidden(), hidden, 0, config.hidden());
    }

    /** What follows a token, from what came out of the last layer for it. */
    void logits(float[] hidden, float[] logits) {
        var normed = new float[config.hidden()];
        finalNorm.apply(hidden, normed);
        head.multiply(new float[][] {normed}, new float[][] {logits}, 0, 1);
    }
}
