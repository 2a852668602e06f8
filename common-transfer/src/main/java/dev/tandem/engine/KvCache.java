package dev.tandem.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The keys and values of one sequence: leading tokens in pages, by rank and chunk, the rest in memory of its own.
 *
 * <p>A page holds {@code [2, layers, tokens, width]} of its rank, where tokens is what that chunk holds, full or not.
 * Used by one thread at a time.
 */
final class KvCache {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final int layers;
    private final int width;
    private final int whole;
    private final int chunkTokens;
    private final int heldTokens;
    private final int pagedTokens;
    private final List<List<MemorySegment>> pages;
    private final float[][] tail;

    /**
     * @param heldTokens tokens that the pages have room for; decides the shape of the last page
     * @param pagedTokens leading tokens that are read from, or written to, the pages; the rest goes into the tail
     * @param totalTokens of the whole sequence, at most
     */
    KvCache(
            ModelConfig config,
            int ranks,
            int chunkTokens,
            List<List<MemorySegment>> pages,
            int heldTokens,
            int pagedTokens,
            int totalTokens) {
        this.layers = config.layers();
        this.width = config.kvWidth() / ranks;
        this.whole = config.kvWidth();
        this.chunkTokens = chunkTokens;
        this.pages = pages;
        this.heldTokens = heldTokens;
        this.pagedTokens = pagedTokens;
        this.tail = new float[2 * layers][Math.max(0, totalTokens - pagedTokens) * whole];
    }

    /** Stores one token's keys or values, all heads. */
    void put(Part part, int layer, int token, float[] values, int from) {
        if (token >= pagedTokens) {
            System.arraycopy(values, from, tail[part.ordinal() * layers + layer], (token - pagedTokens) * whole, whole);
            return;
        }
        for (int rank = 0; rank < pages.size(); rank++) {
            MemorySegment page = pages.get(rank).get(token / chunkTokens);
            MemorySegment.copy(values, from + rank * width, page, FLOAT, offset(part, layer, token), width);
        }
    }

    /** Copies the keys or values of tokens {@code 0..count} into {@code into}, token by token, all heads. */
    void get(Part part, int layer, int count, float[] into) {
        int paged = Math.min(count, pagedTokens);
        for (int token = 0; token < paged; token += chunkTokens) {
            int tokens = Math.min(chunkTokens, paged - token);
            getChunk(part, layer, token, tokens, into);
        }
        if (count > pagedTokens) {
            System.arraycopy(
                    tail[part.ordinal() * layers + layer], 0, into, pagedTokens * whole, (count - pagedTokens) * whole);
        }
    }

    private void getChunk(Part part, int layer, int token, int tokens, float[] into) {
        int ranks = pages.size();
        long offset = offset(part, layer, token);
        if (ranks == 1) {
            MemorySegment page = pages.getFirst().get(token / chunkTokens);
            MemorySegment.copy(page, FLOAT, offset, into, token * width, tokens * width);
            return;
        }
        for (int rank = 0; rank < ranks; rank++) {
            MemorySegment page = pages.get(rank).get(token / chunkTokens);
            for (int i = 0; i < tokens; i++) {
                long at = offset + (long) i * width * Float.BYTES;
                MemorySegment.copy(page, FLOAT, at, into, ((token + i) * ranks + rank) * width, width);
            }
        }
    }

    private long offset(Part part, int layer, int token) {
        int chunk = token / chunkTokens;
        int tokens = Math.min(chunkTokens, heldTokens - chunk * chunkTokens);
        long row = ((long) part.ordinal() * layers + layer) * tokens + token % chunkTokens;
        return row * width * Float.BYTES;
    }

    /** Keys come first in a page, then values. */
    enum Part {
        KEY,
        VALUE
    }
}
