package dev.tandem.engine;

/** Scales a token to unit root mean square, then by a weight per element. Immutable. */
final class RmsNorm {

    private final float[] weight;
    private final float epsilon;

    RmsNorm(float[] weight, float epsilon) {
        this.weight = weight;
        this.epsilon = epsilon;
    }

    /** {@code out[t] = norm(in[t])} for every token {@code from <= t < to}. */
    void apply(float[][] in, float[][] out, int from, int to) {
        for (int token = from; token < to; token++) {
            apply(in[token], out[token]);
        }
    }

    void apply(float[] in, float[] out) {
        float squares = 0;
        for (float value : in) {
            squares += value * value;
        }
        float scale = (float) (1 / Math.sqrt(squares / in.length + epsilon));
        for (int i = 0; i < in.length; i++) {
            out[i] = in[i] * scale * weight[i];
        }
    }
}
