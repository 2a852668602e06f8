package dev.tandem.engine;

/** One prompt's prefill. Used by one thread at a time. */
public interface PrefillRun extends AutoCloseable {

    /** Whether every chunk is computed. */
    boolean done();

    /**
     * Computes the next chunk into its pages, on all ranks.
     *
     * @return its index from 0; its pages are complete and are not written again
     */
    int computeNextChunk() throws InterruptedException;

    /**
     * The token that follows the prompt. Call once every chunk is computed.
     *
     * <p>If all chunks were computed before this run, it computes the last token again, into memory of its own.
     */
    int firstToken(Sampling sampling) throws InterruptedException;

    @Override
    void close();
}
