package dev.tandem.engine;

/**
 * The rotary embedding: turns each pair of elements {@code (i, i + half)} of a head by an angle that grows with the
 * token's position. Immutable.
 */
final class Rotary {

    private final int half;
    private final float[][] cosines;
    private final float[][] sines;

    Rotary(ModelConfig config) {
        half = config.headSize() / 2;
        cosines = new float[config.contextTokens()][half];
        sines = new float[config.contextTokens()][half];
        for (int i = 0; i < half; i++) {
            // 32-bit frequencies and angles, as the models of this family are trained with.
            float frequency = (float) StrictMath.pow(config.ropeTheta(), -(double) i / half);
            for (int position = 0; position < config.contextTokens(); position++) {
                float angle = position * frequency;
                cosines[position][i] = (float) StrictMath.cos(angle);
                sines[position][i] = (float) StrictMath.sin(angle);
            }
        }
    }

    /** Turns every head of {@code heads}, in place. */
    void rotate(float[] heads, int position) {
        float[] cosine = cosines[position];
        float[] sine = sines[position];
        for (int head = 0; head < heads.length; head += 2 * half) {
            for (int i = 0; i < half; i++) {
                float first = heads[head + i];
                float second = heads[head + half + i];
                heads[head + i] = first * cosine[i] - second * sine[i];
                heads[head + half + i] = second * cosine[i] + first * sine[i];
            }
        }
    }
}
