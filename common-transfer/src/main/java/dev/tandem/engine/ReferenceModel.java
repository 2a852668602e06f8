package dev.tandem.engine;

import java.util.Arrays;

/**
 * The arithmetic of a Llama-architecture model in 32-bit floats: RMSNorm, rotary embedding (rotate-half), grouped-query
 * attention, SiLU-gated MLP, tied embeddings.
 *
 * <p>A token's result is bitwise the same whether it is computed alone or with others, from pages or from memory: every
 * sum is taken in the same order. Immutable, thread-safe; a {@link Scratch} belongs to one thread.
 */
final class ReferenceModel {

    private final ModelConfig config;
    private final Weights weights;
    private final float[] cosines;
    private final float[] sines;

    ReferenceModel(ModelConfig config, Weights weights) {
        this.config = config;
        this.weights = weights;
        int half = config.headSize() / 2;
        cosines = new float[config.context() * half];
        sines = new float[config.context() * half];
        for (int position = 0; position < config.context(); position++) {
            for (int i = 0; i < half; i++) {
                float inverse = (float) Math.pow(config.ropeTheta(), -(double) i / half);
                float angle = position * inverse;
                cosines[position * half + i] = (float) Math.cos(angle);
                sines[position * half + i] = (float) Math.sin(angle);
            }
        }
    }

    ModelConfig config() {
        return config;
    }

    /** Working memory for up to {@code tokens} tokens at once. */
    final class Scratch {

        private final float[] x;
        private final float[] normed;
        private final float[] query;
        private final float[] key;
        private final float[] value;
        private final float[] mixed;
        private final float[] gate;
        private final float[] up;
        private final float[] keys = new float[config.context() * config.kvWidth()];
        private final float[] values = new float[config.context() * config.kvWidth()];
        private final float[] scores = new float[config.context()];

        Scratch(int tokens) {
            x = new float[tokens * config.hidden()];
            normed = new float[tokens * config.hidden()];
            query = new float[tokens * config.queryWidth()];
            key = new float[tokens * config.kvWidth()];
            value = new float[tokens * config.kvWidth()];
            mixed = new float[tokens * config.queryWidth()];
            gate = new float[tokens * config.intermediate()];
            up = new float[tokens * config.intermediate()];
        }
    }

    /**
     * Computes tokens {@code from..to} of a sequence into its cache, which holds all before them. {@link #logits} then
     * says what follows.
     */
    void compute(int[] sequence, int from, int to, KvCache cache, Scratch scratch) {
        int count = to - from;
        for (int i = 0; i < count; i++) {
            System.arraycopy(
                    weights.embedding,
                    sequence[from + i] * config.hidden(),
                    scratch.x,
                    i * config.hidden(),
                    config.hidden());
        }
        for (int layer = 0; layer < config.layers(); layer++) {
            attend(layer, from, count, cache, scratch);
            feed(weights.layers[layer], count, scratch);
        }
    }

    /** Logits after the last of the {@code count} tokens that were just computed. */
    float[] logits(int count, Scratch scratch) {
        int hidden = config.hidden();
        var last = Arrays.copyOfRange(scratch.x, (count - 1) * hidden, count * hidden);
        var normed = new float[hidden];
        norm(last, weights.finalNorm, normed, 1);
        var logits = new float[config.vocabulary()];
        multiply(normed, weights.output, logits, 1, hidden, config.vocabulary());
        return logits;
    }

    private void attend(int layer, int from, int count, KvCache cache, Scratch scratch) {
        Weights.Layer own = weights.layers[layer];
        int hidden = config.hidden();
        int kvWidth = config.kvWidth();
        norm(scratch.x, own.inputNorm(), scratch.normed, count);
        multiply(scratch.normed, own.query(), scratch.query, count, hidden, config.queryWidth());
        multiply(scratch.normed, own.key(), scratch.key, count, hidden, kvWidth);
        multiply(scratch.normed, own.value(), scratch.value, count, hidden, kvWidth);
        for (int i = 0; i < count; i++) {
            rotate(scratch.query, i * config.queryWidth(), config.heads(), from + i);
            rotate(scratch.key, i * kvWidth, config.kvHeads(), from + i);
            cache.put(KvCache.Part.KEY, layer, from + i, scratch.key, i * kvWidth);
            cache.put(KvCache.Part.VALUE, layer, from + i, scratch.value, i * kvWidth);
        }
        cache.get(KvCache.Part.KEY, layer, from + count, scratch.keys);
        cache.get(KvCache.Part.VALUE, layer, from + count, scratch.values);
        Arrays.fill(scratch.mixed, 0, count * config.queryWidth(), 0f);
        for (int i = 0; i < count; i++) {
            for (int head = 0; head < config.heads(); head++) {
                mix(head, i, from + i + 1, scratch);
            }
        }
        multiplyAdd(scratch.mixed, own.attentionOutput(), scratch.x, count, config.queryWidth(), hidden);
    }

    /** One head of one token: scores over all tokens up to it, softmax, weighted values. */
    private void mix(int head, int token, int positions, Scratch scratch) {
        int size = config.headSize();
        int stride = config.kvWidth();
        int kv = head / (config.heads() / config.kvHeads()) * size;
        int query = token * config.queryWidth() + head * size;
        float scale = (float) (1 / Math.sqrt(size));
        float[] scores = scratch.scores;
        float most = Float.NEGATIVE_INFINITY;
        for (int position = 0; position < positions; position++) {
            scores[position] = dot(scratch.query, query, scratch.keys, position * stride + kv, size) * scale;
            most = Math.max(most, scores[position]);
        }
        float sum = 0;
        for (int position = 0; position < positions; position++) {
            scores[position] = (float) Math.exp(scores[position] - most);
            sum += scores[position];
        }
        for (int position = 0; position < positions; position++) {
            add(scratch.mixed, query, scratch.values, position * stride + kv, scores[position] / sum, size);
        }
    }

    private void feed(Weights.Layer own, int count, Scratch scratch) {
        int inner = config.intermediate();
        norm(scratch.x, own.postNorm(), scratch.normed, count);
        multiply(scratch.normed, own.gate(), scratch.gate, count, config.hidden(), inner);
        multiply(scratch.normed, own.up(), scratch.up, count, config.hidden(), inner);
        for (int i = 0; i < count * inner; i++) {
            float gate = scratch.gate[i];
            scratch.gate[i] = gate / (1 + (float) Math.exp(-gate)) * scratch.up[i];
        }
        multiplyAdd(scratch.gate, own.down(), scratch.x, count, inner, config.hidden());
    }

    private void norm(float[] in, float[] weight, float[] out, int count) {
        int hidden = config.hidden();
        for (int i = 0; i < count; i++) {
            int at = i * hidden;
            float mean = dot(in, at, in, at, hidden) / hidden;
            float scale = (float) (1 / Math.sqrt(mean + config.normEpsilon()));
            for (int j = 0; j < hidden; j++) {
                out[at + j] = in[at + j] * scale * weight[j];
            }
        }
    }

    private void rotate(float[] vectors, int at, int heads, int position) {
        int half = config.headSize() / 2;
        int table = position * half;
        for (int head = 0; head < heads; head++) {
            int first = at + head * config.headSize();
            for (int i = 0; i < half; i++) {
                float a = vectors[first + i];
                float b = vectors[first + half + i];
                vectors[first + i] = a * cosines[table + i] - b * sines[table + i];
                vectors[first + half + i] = b * cosines[table + i] + a * sines[table + i];
            }
        }
    }

    private static void multiply(float[] in, float[] matrix, float[] out, int count, int inputs, int outputs) {
        Arrays.fill(out, 0, count * outputs, 0f);
        multiplyAdd(in, matrix, out, count, inputs, outputs);
    }

    private static void multiplyAdd(float[] in, float[] matrix, float[] out, int count, int inputs, int outputs) {
        for (int i = 0; i < count; i++) {
            for (int input = 0; input < inputs; input++) {
                add(out, i * outputs, matrix, input * outputs, in[i * inputs + input], outputs);
            }
        }
    }

    private static void add(float[] out, int outAt, float[] in, int inAt, float factor, int count) {
        for (int i = 0; i < count; i++) {
            out[outAt + i] += factor * in[inAt + i];
        }
    }

    /** Four sums, in a fixed order, so that the processor can work on them at once. */
    private static float dot(float[] a, int aAt, float[] b, int bAt, int count) {
        float sum0 = 0;
        float sum1 = 0;
        float sum2 = 0;
        float sum3 = 0;
        for (int i = 0; i < count; i += 4) {
            sum0 += a[aAt + i] * b[bAt + i];
            sum1 += a[aAt + i + 1] * b[bAt + i + 1];
            sum2 += a[aAt + i + 2] * b[bAt + i + 2];
            sum3 += a[aAt + i + 3] * b[bAt + i + 3];
        }
        return (sum0 + sum1) + (sum2 + sum3);
    }
}
