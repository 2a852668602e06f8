package dev.tandem.engine;

/**
 * The exponential function in 32-bit floats, from plain arithmetic only: the same bits on every machine and whatever the
 * compiler does, and quick.
 */
final class Exponential {

    private static final float SMALLEST = -87;
    private static final float LARGEST = 88;
    private static final float LOG2_E = 1.442695f;

    /** ln 2 in two parts: the first has so few bits that its product with a power is exact. */
    private static final float LN_2_HIGH = 0x1.63p-1f;

    private static final float LN_2_LOW = (float) (0.6931471805599453 - LN_2_HIGH);

    private Exponential() {}

    /** e to the power of {@code x}, to within 3e-7 of it; 0 below -87, and no more than e to the 88th above. */
    static float of(float x) {
        if (x < SMALLEST) {
            return 0;
        }
        float power = Math.min(x, LARGEST);
        int twos = (int) (power * LOG2_E + (power < 0 ? -0.5f : 0.5f));
        float rest = (power - twos * LN_2_HIGH) - twos * LN_2_LOW;
        return series(rest) * Float.intBitsToFloat((twos + Float.MAX_EXPONENT) << (Float.PRECISION - 1));
    }

    /** The power series up to the seventh power; the rest is below 1e-8 where |x| is at most half of ln 2. */
    private static float series(float x) {
        float sum = 1f / 5040;
        sum = sum * x + 1f / 720;
        sum = sum * x + 1f / 120;
        sum = sum * x + 1f / 24;
        sum = sum * x + 1f / 6;
        sum = sum * x + 1f / 2;
        sum = sum * x + 1;
        return sum * x + 1;
    }
}
