package dev.tandem.engine;

/** One continuation. Used by one thread at a time. */
public interface DecodeRun extends AutoCloseable {

    /** Returned by {@link #next} when the model ended the text. */
    int END = -1;

    /**
     * Computes the next token.
     *
     * @return its id, or {@link #END}
     * @throws IllegalStateException when prompt and continuation fill the context
     */
    int next() throws InterruptedException;

    @Override
    void close();
}
