package dev.tandem.engine;

/**
 * How the next token is chosen. The choice depends on the logits, these values and the token's position in the
 * sequence alone, so that prefill and decode, on different nodes, choose as one process would.
 *
 * @param temperature 0 takes the likeliest token; at most 2
 * @param topP keep the likeliest tokens whose probabilities sum to this; above 0, at most 1
 * @param seed of the choice at temperatures above 0
 */
public record Sampling(double temperature, double topP, long seed) {

    public static final Sampling GREEDY = new Sampling(0, 1, 0);

    public Sampling {
        if (!(temperature >= 0 && temperature <= 2)) {
            throw new IllegalArgumentException("temperature: %s is not in 0..2".formatted(temperature));
        }
        if (!(topP > 0 && topP <= 1)) {
            throw new IllegalArgumentException("top_p: %s is not above 0 and at most 1".formatted(topP));
        }
    }
}
