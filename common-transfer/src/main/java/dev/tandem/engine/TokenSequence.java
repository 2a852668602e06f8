package dev.tandem.engine;

import java.util.Arrays;

/** The tokens of a prompt and its continuation, up to the context. Used by one thread at a time. */
final class TokenSequence {

    private final int[] tokens;
    private int length;

    /**
     * @param prompt at least one token
     * @param contextTokens most tokens there can be
     * @throws IllegalArgumentException naming what is wrong with the prompt
     */
    TokenSequence(int[] prompt, int contextTokens) {
        if (prompt.length < 1 || prompt.length > contextTokens) {
            throw new IllegalArgumentException(
                    "prompt: %d tokens, must be 1..%d".formatted(prompt.length, contextTokens));
        }
        for (int i = 0; i < prompt.length; i++) {
            if (prompt[i] < 0 || prompt[i] >= ByteTokens.VOCABULARY) {
                throw new IllegalArgumentException(
                        "prompt: token %d is %d, must be 0..%d".formatted(i, prompt[i], ByteTokens.VOCABULARY - 1));
            }
        }
        tokens = Arrays.copyOf(prompt, contextTokens);
        length = prompt.length;
    }

    /** The tokens; those from {@link #length} on mean nothing. Not a copy. */
    int[] tokens() {
        return tokens;
    }

    int length() {
        return length;
    }

    int last() {
        return tokens[length - 1];
    }

    /** Whether the last token is the end mark: nothing can follow. */
    boolean ended() {
        return last() == ByteTokens.END;
    }

    /** @throws IllegalStateException when the context is full */
    void requireRoom() {
        if (length == tokens.length) {
            throw new IllegalStateException("the context of %d tokens is full".formatted(tokens.length));
        }
    }

    void append(int token) {
        requireRoom();
        tokens[length++] = token;
    }
}
