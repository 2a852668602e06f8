package dev.tandem.bench;

import java.time.Duration;

/**
 * What came of a prompt.
 *
 * @param kv how its KV came about, as the front door said
 * @param firstToken from sending the request to the first piece of text
 */
record Continuation(String text, int tokens, String finishReason, String kv, Duration firstToken) {

    /** Whether both are the same tokens, for the same reason no more. */
    boolean equalTo(Continuation other) {
        return text.equals(other.text) && tokens == other.tokens && finishReason.equals(other.finishReason);
    }
}
