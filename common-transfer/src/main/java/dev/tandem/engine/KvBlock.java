package dev.tandem.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The keys and values of some consecutive tokens, in memory of {@code [2, layers, tokens, width]} floats per rank, keys
 * first: a chunk's page, or memory of a run's own.
 *
 * @param first position of the block's first token
 * @param tokens what the memory is laid out for; a partial chunk has fewer than a full one and no gaps
 * @param used leading tokens that belong to the sequence, at most {@code tokens}
 */
record KvBlock(KvGeometry geometry, List<MemorySegment> ranks, int first, int tokens, int used) {

    /** Little-endian whatever the machine, so that pages mean the same at both ends. */
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The halves of a block, in their order. */
    enum Half {
        KEYS(0),
        VALUES(1);

        private final int index;

        Half(int index) {
            this.index = index;
        }
    }

    /** A block on the heap, as large as {@code tokens} need. */
    static KvBlock onHeap(KvGeometry geometry, int first, int tokens) {
        int floats = 2 * geometry.layers() * tokens * geometry.rankWidth();
        List<MemorySegment> ranks = IntStream.range(0, geometry.ranks())
                .mapToObj(_ -> MemorySegment.ofArray(new float[floats]))
                .toList();
        return new KvBlock(geometry, ranks, first, tokens, tokens);
    }

    int end() {
        return first + used;
    }

    /** Stores one token's keys or values, all heads. */
    void write(Half half, int layer, int position, float[] heads) {
        int width = geometry.rankWidth();
        long at = offset(half, layer, position - first);
        for (int rank = 0; rank < ranks.size(); rank++) {
            MemorySegment.copy(heads, rank * width, ranks.get(rank), FLOAT, at, width);
        }
    }

    /** Copies the keys or values of one rank's heads, of the first {@code count} tokens, token by token. */
    void read(Half half, int layer, int rank, int count, float[] into) {
        MemorySegment.copy(ranks.get(rank), FLOAT, offset(half, layer, 0), into, 0, count * geometry.rankWidth());
    }

    private long offset(Half half, int layer, int token) {
        long row = ((long) half.index * geometry.layers() + layer) * tokens + token;
        return row * geometry.rankWidth() * Float.BYTES;
    }
}
