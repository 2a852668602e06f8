package dev.tandem.transfer.memory;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** Draws write tokens, which a peer that holds some cannot guess others from. */
final class WriteTokens {

    private final SecureRandom random = new SecureRandom();

    /** 63-bit numbers, all positive. */
    long[] draw(int count) {
        var bytes = new byte[count * Long.BYTES];
        random.nextBytes(bytes);
        var tokens = new long[count];
        ByteBuffer.wrap(bytes).asLongBuffer().get(tokens);
        for (int i = 0; i < count; i++) {
            tokens[i] = Math.max(1, tokens[i] & Long.MAX_VALUE);
        }
        return tokens;
    }
}
