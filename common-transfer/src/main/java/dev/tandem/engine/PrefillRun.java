package dev.tandem.engine;

/** One prompt's prefill. Used by one thread at a time. */
public interface PrefillRun extends AutoCloseable {

    /** Whether every chunk is computed. */
    boolean done();

    /**
     * Computes the next chunk into its pages, on all ranks.
     *
     * @return its index from 0; its pages are complete and are not written again
     * @throws IllegalStateException when there is none left, or the run is over
     */
    int computeNextChunk() throws InterruptedException;

    /**
     * The token that follows the prompt, even if the prompt fills the context. It may be the one that ends the text: a
     * {@link Engine#decode} whose prompt ends with that answers {@link DecodeRun#END} at once.
     *
     * <p>If all chunks were computed before this run, it computes the last token again, into memory of its own.
     *
     * @throws IllegalStateException when not every chunk is computed, or the run is over
     */
    int firstToken(Sampling sampling) throws InterruptedException;

    /** Ends the run. Its pages stay as they are. */
    @Override
    void close();
}
