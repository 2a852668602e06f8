package dev.tandem.engine;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ExponentialTest {

    @Test
    void isWithinItsErrorEverywhere() {
        double largest = 0;
        for (float x = -87; x <= 88; x += 0.0037f) {
            double exact = StrictMath.exp(x);
            largest = Math.max(largest, Math.abs(Exponential.of(x) - exact) / exact);
        }
        assertThat(largest).isLessThan(3e-7);
    }

    @Test
    void endsAreOrderly() {
        assertThat(Exponential.of(0)).isEqualTo(1);
        assertThat(Exponential.of(Float.NEGATIVE_INFINITY)).isZero();
        assertThat(Exponential.of(Float.POSITIVE_INFINITY))
                .isEqualTo(Exponential.of(88))
                .isFinite();
        assertThat(Exponential.of(Float.NaN)).isNaN();
    }
}
