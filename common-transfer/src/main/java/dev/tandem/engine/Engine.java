package dev.tandem.engine;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.tandem.transfer.KvLayout;

/**
 * Extension point: a model that runs in this process, computes KV into pages and reads KV from pages in place.
 *
 * <p>Thread-safe: any number of runs may be under way. Computing happens on the engine's own platform threads, so that
 * a caller may be a virtual thread; a caller that is interrupted gets an {@link InterruptedException} and the run is
 * over.
 *
 * <p>Pages come as one list per rank, each with one segment per chunk, in prompt order; a segment has at least
 * {@code layout.chunkBytes(tokens of that chunk)} bytes. They must be accessible to any thread and stay valid until the
 * run is closed; when a call on the run returns or throws, nothing is reading or writing them.
 */
public interface Engine extends AutoCloseable {

    String modelId();

    /** Longest sequence, prompt and continuation together, in tokens. */
    int contextTokens();

    /** Shape of one rank's chunk. */
    KvLayout layout();

    /** Number of tensor-parallel ranks the KV is split over. */
    int ranks();

    /** Token ids of a text, the begin token included. */
    int[] tokenize(String text);

    /** Number of token ids; valid ids are 0 to this, exclusive. */
    int vocabulary();

    /** Whether this token ends a text. */
    boolean ends(int token);

    /**
     * Turns the token ids of one continuation into text, piece by piece.
     *
     * @param stops texts that end the continuation, none empty; of several, the one that begins first counts
     * @throws IllegalArgumentException when one is empty
     */
    TokenText text(List<String> stops);

    /**
     * Starts computing the KV of a prompt, chunk by chunk.
     *
     * @param prompt 1 to {@link #contextTokens()} token ids
     * @param computedChunks leading chunks that {@code pages} already hold, 0 if none; only full chunks, or all
     * @param pages one list per rank, one page per chunk of the prompt
     * @throws IllegalArgumentException naming the argument that is out of range
     */
    PrefillRun prefill(int[] prompt, int computedChunks, List<List<MemorySegment>> pages);

    /**
     * Starts generating.
     *
     * @param prompt 1 to {@link #contextTokens()} token ids
     * @param cachedTokens how many leading tokens' KV {@code pages} hold, at most the prompt's length; the rest, and
     *     the last token in any case, is computed into memory of the run's own. 0 with no pages means that this engine
     *     does it all.
     * @param pages one list per rank, one page per chunk of the cached tokens; only read
     * @throws IllegalArgumentException naming the argument that is out of range
     */
    DecodeRun decode(int[] prompt, int cachedTokens, List<List<MemorySegment>> pages, Sampling sampling);

    /** Ends the threads, after the step they are computing. Runs under way end with an {@link IllegalStateException}. */
    @Override
    void close();
}
