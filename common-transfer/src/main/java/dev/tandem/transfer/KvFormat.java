package dev.tandem.transfer;

import java.util.Optional;

/** How a chunk's KV is laid out: upstream's memory formats, by their numbers on the wire (protocol: allocation). */
public enum KvFormat {
    /** {@code [2, layers, tokens, hidden]}. */
    KV_2LTD(1, 4, 2),
    /** {@code [tokens, 2, hidden]}; upstream counts the tokens at dimension 1. */
    KV_T2D(2, 3, 1),
    /** {@code [2, tokens, hidden]}; upstream counts the tokens at dimension 0. */
    KV_2TD(3, 3, 0),
    /** {@code [bytes]}. */
    BINARY(4, 1, 0),
    /** {@code [bytes]}, kept in a buffer. */
    BINARY_BUFFER(5, 1, 0),
    /** {@code [1, layers, tokens, hidden]}, the same on every rank. */
    KV_MLA_FMT(6, 4, 2);

    private final int number;
    private final int dimensions;
    private final int tokenDimension;

    KvFormat(int number, int dimensions, int tokenDimension) {
        this.number = number;
        this.dimensions = dimensions;
        this.tokenDimension = tokenDimension;
    }

    public int number() {
        return number;
    }

    /** How many dimensions a shape of this format usually has. */
    public int dimensions() {
        return dimensions;
    }

    /** Index of the dimension that counts tokens. */
    public int tokenDimension() {
        return tokenDimension;
    }

    public static Optional<KvFormat> of(long number) {
        for (KvFormat format : values()) {
            if (format.number == number) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }
}
