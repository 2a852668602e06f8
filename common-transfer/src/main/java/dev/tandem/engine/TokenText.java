package dev.tandem.engine;

/**
 * Turns one continuation's tokens into text. Never hands out half a character, nor text that may turn out to begin a
 * stop string. Used by one thread.
 */
public interface TokenText {

    /**
     * Takes the next token.
     *
     * @return the text that is certain now, possibly empty
     */
    String accept(int token);

    /** Whether a stop string was met: the text before it has been handed out, nothing more will be. */
    boolean stopped();

    /** What was held back, at the end of a continuation that met no stop string; a broken character becomes U+FFFD. */
    String rest();
}
