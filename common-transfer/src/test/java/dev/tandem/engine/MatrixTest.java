package dev.tandem.engine;

import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MatrixTest {

    @Test
    void everyOutputIsAddedUpInTheOrderOfTheInputs() {
        for (long seed = 0; seed < 50; seed++) {
            // Given
            var random = new Random(seed);
            int inputs = 1 + random.nextInt(21);
            int outputs = 1 + random.nextInt(70);
            int tokens = 1 + random.nextInt(9);
            float[] stored = floats(random, outputs * inputs);
            var in = new float[tokens][];
            for (int token = 0; token < tokens; token++) {
                in[token] = floats(random, inputs);
            }
            var out = new float[tokens][outputs];

            // When
            Matrix.transposed(stored, outputs, inputs).multiply(in, out, 0, tokens);

            // Then
            for (int token = 0; token < tokens; token++) {
                assertThat(out[token]).as("seed %d", seed).isEqualTo(oneByOne(stored, in[token], outputs));
            }
        }
    }

    private static float[] oneByOne(float[] stored, float[] in, int outputs) {
        var out = new float[outputs];
        for (int output = 0; output < outputs; output++) {
            for (int input = 0; input < in.length; input++) {
                out[output] += in[input] * stored[output * in.length + input];
            }
        }
        return out;
    }

    private static float[] floats(Random random, int count) {
        var floats = new float[count];
        for (int i = 0; i < count; i++) {
            floats[i] = (float) random.nextGaussian();
        }
        return floats;
    }
}
