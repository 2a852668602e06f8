package dev.tandem.engine;

/** One continuation. Used by one thread at a time. */
public interface DecodeRun extends AutoCloseable {

    /** Returned by {@link #next} when the model ended the text. */
    int END = -1;

    /**
     * Computes the next token.
     *
     * @return its id, or {@link #END}, and then always
     * @throws IllegalStateException when prompt and continuation fill the context, or the run is over
     */
    int next() throws InterruptedException;

    /** Ends the run and frees the memory of its own. */
    @Override
    void close();
}
