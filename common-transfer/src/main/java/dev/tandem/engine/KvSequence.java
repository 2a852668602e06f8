package dev.tandem.engine;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import dev.tandem.transfer.KvLayout;

/**
 * Where the keys and values of one sequence are: the leading tokens in pages, the rest in memory of its own, which grows
 * with the sequence up to a limit. It grows only while nothing is computed; distinct positions may be written, and
 * finished ones read, by several threads.
 */
final class KvSequence {

    private static final int GROWTH_TOKENS = 64;

    private final KvGeometry geometry;
    private final int limit;
    private final List<KvBlock> blocks = new ArrayList<>();

    private KvSequence(KvGeometry geometry, int limit) {
        this.geometry = geometry;
        this.limit = limit;
    }

    /**
     * A sequence whose first tokens are in pages.
     *
     * @param pages one list per rank, one page per chunk of what is held; none at all if nothing is
     * @param limit most tokens that the sequence can have
     * @throws IllegalArgumentException when the pages are too few, too many or too small
     */
    static KvSequence inPages(KvGeometry geometry, List<List<MemorySegment>> pages, Held held, int limit) {
        var sequence = new KvSequence(geometry, limit);
        KvLayout layout = geometry.layout();
        int chunks = Math.ceilDiv(held.tokens(), layout.chunkTokens());
        requireCounts(geometry, pages, chunks);
        for (int chunk = 0; chunk < chunks; chunk++) {
            int first = chunk * layout.chunkTokens();
            int tokens = Math.min(layout.chunkTokens(), held.tokens() - first);
            int used = Math.min(tokens, held.used() - first);
            if (used > 0) {
                List<MemorySegment> ranks = ofChunk(pages, chunk, layout.chunkBytes(tokens));
                sequence.blocks.add(new KvBlock(geometry, ranks, first, tokens, used));
            }
        }
        return sequence;
    }

    /**
     * What pages hold.
     *
     * @param tokens that they are laid out for
     * @param used leading tokens of those that belong to the sequence
     */
    record Held(int tokens, int used) {}

    private static void requireCounts(KvGeometry geometry, List<List<MemorySegment>> pages, int chunks) {
        if (chunks == 0 && pages.stream().allMatch(List::isEmpty)) {
            return;
        }
        if (pages.size() != geometry.ranks()) {
            throw new IllegalArgumentException(
                    "pages of %d ranks, there are %d".formatted(pages.size(), geometry.ranks()));
        }
        for (int rank = 0; rank < pages.size(); rank++) {
            if (pages.get(rank).size() != chunks) {
                throw new IllegalArgumentException("%d pages of rank %d, there are %d chunks"
                        .formatted(pages.get(rank).size(), rank, chunks));
            }
        }
    }

    private static List<MemorySegment> ofChunk(List<List<MemorySegment>> pages, int chunk, long bytes) {
        var ranks = new ArrayList<MemorySegment>();
        for (int rank = 0; rank < pages.size(); rank++) {
            MemorySegment page = pages.get(rank).get(chunk);
            if (page.byteSize() < bytes) {
                throw new IllegalArgumentException("page of chunk %d, rank %d: %d bytes, the chunk has %d"
                        .formatted(chunk, rank, page.byteSize(), bytes));
            }
            ranks.add(page.asSlice(0, bytes));
        }
        return List.copyOf(ranks);
    }

    /** Tokens that there is memory for. */
    int tokens() {
        return blocks.isEmpty() ? 0 : blocks.getLast().end();
    }

    /** Makes sure that there is memory for the first {@code tokens} tokens, at most the limit. */
    void growTo(int tokens) {
        while (tokens() < tokens) {
            int first = tokens();
            blocks.add(KvBlock.onHeap(geometry, first, Math.min(GROWTH_TOKENS, limit - first)));
        }
    }

    /** Gives the memory of its own back. */
    void clear() {
        blocks.clear();
    }

    KvGeometry geometry() {
        return geometry;
    }

    List<KvBlock> blocks() {
        return blocks;
    }

    /** The block that holds a position. */
    KvBlock blockOf(int position) {
        for (KvBlock block : blocks) {
            if (position < block.end()) {
                return block;
            }
        }
        throw new IllegalArgumentException("position %d, there are %d".formatted(position, tokens()));
    }
}
