package dev.tandem.engine;

import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Chooses the next token from its logits. */
final class Choice {

    private Choice() {}

    /**
     * Chooses.
     *
     * @param position of the token to choose in its sequence; with the seed it decides the random number
     */
    static int next(float[] logits, Sampling sampling, int position) {
        return sampling.temperature() == 0 ? likeliest(logits) : draw(logits, sampling, position);
    }

    private static int likeliest(float[] logits) {
        int best = 0;
        for (int token = 1; token < logits.length; token++) {
            if (logits[token] > logits[best]) {
                best = token;
            }
        }
        return best;
    }

    private static int draw(float[] logits, Sampling sampling, int position) {
        double most = logits[likeliest(logits)];
        var weights = new double[logits.length];
        double sum = 0;
        for (int token = 0; token < logits.length; token++) {
            weights[token] = StrictMath.exp((logits[token] - most) / sampling.temperature());
            sum += weights[token];
        }
        int[] order = IntStream.range(0, logits.length)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer token) -> -weights[token])
                        .thenComparing(token -> token))
                .mapToInt(Integer::intValue)
                .toArray();
        return pick(order, weights, sum * sampling.topP(), random(sampling.seed(), position));
    }

    /** Keeps the likeliest tokens up to {@code mass}, then takes the one at {@code point} of what is kept. */
    private static int pick(int[] order, double[] weights, double mass, double point) {
        int kept = 0;
        double sum = 0;
        while (kept < order.length && (kept == 0 || sum < mass)) {
            sum += weights[order[kept++]];
        }
        double left = point * sum;
        for (int i = 0; i < kept; i++) {
            left -= weights[order[i]];
            if (left < 0) {
                return order[i];
            }
        }
        return order[kept - 1];
    }

    private static double random(long seed, int position) {
        return new SplittableRandom(seed * 0x9E3779B97F4A7C15L + position).nextDouble();
    }
}
