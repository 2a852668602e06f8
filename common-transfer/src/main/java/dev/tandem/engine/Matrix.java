package dev.tandem.engine;

import java.util.Arrays;

/**
 * A weight matrix, held with one row per input and one column per output. Multiplying adds each input's row, scaled, to
 * the outputs, one input after the other: the compiler makes vector instructions of it, and every output is added up in
 * the same order however many tokens are computed at once. Immutable.
 */
final class Matrix {

    /** Rows that are added in one go, so that an output is loaded and stored once for all of them. */
    private static final int STEP = 4;

    private final float[][] rows;
    private final int outputs;

    private Matrix(float[][] rows, int outputs) {
        this.rows = rows;
        this.outputs = outputs;
    }

    /** @param stored as a model file has it: one row per output, end to end */
    static Matrix transposed(float[] stored, int outputs, int inputs) {
        var rows = new float[inputs][outputs];
        for (int output = 0; output < outputs; output++) {
            for (int input = 0; input < inputs; input++) {
                rows[input][output] = stored[output * inputs + input];
            }
        }
        return new Matrix(rows, outputs);
    }

    /** {@code out[t] = in[t] * this} for every token {@code from <= t < to}. */
    void multiply(float[][] in, float[][] out, int from, int to) {
        for (int token = from; token < to; token++) {
            Arrays.fill(out[token], 0, outputs, 0f);
        }
        add(in, out, from, to);
    }

    /** {@code out[t] += in[t] * this} for every token {@code from <= t < to}. Tokens go innermost: a row stays cached. */
    void add(float[][] in, float[][] out, int from, int to) {
        int input = 0;
        for (; input <= rows.length - STEP; input += STEP) {
            for (int token = from; token < to; token++) {
                addFour(rows, in[token], input, out[token], outputs);
            }
        }
        for (; input < rows.length; input++) {
            for (int token = from; token < to; token++) {
                addOne(rows[input], in[token][input], out[token], outputs);
            }
        }
    }

    /** {@code out[0..outputs] += sum of in[i] * rows[i]}, in the order of {@code 0 <= i < inputs}. */
    static void addRows(float[][] rows, float[] in, int inputs, float[] out, int outputs) {
        int input = 0;
        for (; input <= inputs - STEP; input += STEP) {
            addFour(rows, in, input, out, outputs);
        }
        for (; input < inputs; input++) {
            addOne(rows[input], in[input], out, outputs);
        }
    }

    private static void addFour(float[][] rows, float[] in, int input, float[] out, int outputs) {
        float[] row0 = rows[input];
        float[] row1 = rows[input + 1];
        float[] row2 = rows[input + 2];
        float[] row3 = rows[input + 3];
        float in0 = in[input];
        float in1 = in[input + 1];
        float in2 = in[input + 2];
        float in3 = in[input + 3];
        for (int i = 0; i < outputs; i++) {
            out[i] = (((out[i] + in0 * row0[i]) + in1 * row1[i]) + in2 * row2[i]) + in3 * row3[i];
        }
    }

    private static void addOne(float[] row, float in, float[] out, int outputs) {
        for (int i = 0; i < outputs; i++) {
            out[i] += in * row[i];
        }
    }
}
