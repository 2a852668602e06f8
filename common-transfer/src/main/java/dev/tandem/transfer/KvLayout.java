package dev.tandem.transfer;

import java.util.ArrayList;
import java.util.List;

/**
 * Shape of one rank's chunk. A chunk occupies one page, full or not; only the chunk's own bytes travel.
 *
 * @param format order of the dimensions
 * @param dataType element type
 * @param shape a full chunk's dimensions, each positive
 */
public record KvLayout(KvFormat format, DataType dataType, List<Integer> shape) {

    public KvLayout {
        shape = List.copyOf(shape);
        if (shape.size() <= format.tokenDimension()) {
            throw new IllegalArgumentException(
                    "shape %s: %s counts tokens at dimension %d".formatted(shape, format, format.tokenDimension()));
        }
        if (shape.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException("shape %s: every dimension must be positive".formatted(shape));
        }
        try {
            long bytes = dataType.bytes();
            for (int size : shape) {
                bytes = Math.multiplyExact(bytes, (long) size);
            }
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("shape %s: more than 2^63 bytes".formatted(shape), e);
        }
    }

    /** Tokens of a full chunk. */
    public int chunkTokens() {
        return shape.get(format.tokenDimension());
    }

    /** Bytes of a full chunk, which is the size of a page. */
    public long pageBytes() {
        return chunkBytes(chunkTokens());
    }

    /**
     * Bytes of a chunk that holds {@code tokens} tokens.
     *
     * @param tokens 1 to {@link #chunkTokens()}
     */
    public long chunkBytes(int tokens) {
        if (tokens < 1 || tokens > chunkTokens()) {
            throw new IllegalArgumentException(
                    "tokens of a chunk: %d is not in 1..%d".formatted(tokens, chunkTokens()));
        }
        long bytes = dataType.bytes();
        for (int dimension = 0; dimension < shape.size(); dimension++) {
            bytes *= dimension == format.tokenDimension() ? tokens : shape.get(dimension);
        }
        return bytes;
    }

    /** The dimensions of a chunk that holds {@code tokens} tokens. */
    public List<Integer> shapeOf(int tokens) {
        var partial = new ArrayList<>(shape);
        partial.set(format.tokenDimension(), tokens);
        return partial;
    }
}
