package dev.tandem.engine;

/**
 * Turns one continuation's tokens into text. Never hands out half a character, nor text that may turn out to begin a
 * stop string. Used by one thread.
 */
public interface TokenText {

    /**
     * Takes the next token.
     *
     * @return the text that is certain now, possibly empty; always empty once {@link #stopped}, and for tokens without
     *     text
     * @throws IllegalArgumentException when it is not a token id
     */
    String accept(int token);

    /** Whether a stop string was met: the text before it has been handed out, nothing more will be. */
    boolean stopped();

    /**
     * What was held back, at the end of a continuation that met no stop string; a broken character becomes U+FFFD. What
     * was held back for a longer stop string may still hold a shorter one: then the text before that is returned, and
     * {@link #stopped} holds.
     */
    String rest();
}
