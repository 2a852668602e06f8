package dev.tandem.engine;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ChoiceTest {

    private static final float[] LOGITS = {(float) Math.log(0.1), (float) Math.log(0.6), (float) Math.log(0.3)};

    @Test
    void greedyTakesTheFirstOfEquals() {
        assertThat(Choice.next(new float[] {1, 3, 2, 3}, Sampling.GREEDY, 7)).isEqualTo(1);
    }

    @Test
    void choiceDependsOnSeedAndPositionAlone() {
        for (int position = 0; position < 100; position++) {
            var sampling = new Sampling(1, 1, 42);
            assertThat(Choice.next(LOGITS, sampling, position))
                    .isEqualTo(Choice.next(LOGITS.clone(), new Sampling(1, 1, 42), position));
        }
        assertThat(chosen(new Sampling(1, 1, 42))).isNotEqualTo(chosen(new Sampling(1, 1, 43)));
    }

    @Test
    void tokensAreChosenAsOftenAsTheyAreLikely() {
        assertThat(shares(new Sampling(1, 1, 5))).containsExactly(new double[] {0.1, 0.6, 0.3}, within(0.02));
    }

    @Test
    void temperatureSharpens() {
        double sum = 0.1 * 0.1 + 0.6 * 0.6 + 0.3 * 0.3;
        assertThat(shares(new Sampling(0.5, 1, 5)))
                .containsExactly(new double[] {0.01 / sum, 0.36 / sum, 0.09 / sum}, within(0.02));
    }

    @Test
    void topPKeepsTheFewestThatReachIt() {
        assertThat(shares(new Sampling(1, 0.61, 5))).containsExactly(new double[] {0, 2 / 3.0, 1 / 3.0}, within(0.02));
        assertThat(shares(new Sampling(1, 0.59, 5))).containsExactly(0, 1, 0);
        assertThat(shares(new Sampling(2, 1e-9, 5))).containsExactly(0, 1, 0);
    }

    @Test
    void tiniestTemperatureIsGreedy() {
        assertThat(shares(new Sampling(Double.MIN_VALUE, 1, 5))).containsExactly(0, 1, 0);
    }

    private static double[] shares(Sampling sampling) {
        int positions = 10_000;
        var counts = new int[LOGITS.length];
        for (int position = 0; position < positions; position++) {
            counts[Choice.next(LOGITS, sampling, position)]++;
        }
        return Arrays.stream(counts)
                .mapToDouble(count -> count / (double) positions)
                .toArray();
    }

    private static Set<Integer> chosen(Sampling sampling) {
        Set<Integer> likeliest = new HashSet<>();
        for (int position = 0; position < 100; position++) {
            if (Choice.next(LOGITS, sampling, position) == 1) {
                likeliest.add(position);
            }
        }
        return likeliest;
    }
}
