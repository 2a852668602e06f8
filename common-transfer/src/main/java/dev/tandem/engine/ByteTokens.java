package dev.tandem.engine;

import java.nio.charset.StandardCharsets;

/** The vocabulary of a byte-level model: ids below 256 are bytes of UTF-8, then there are two marks without text. */
final class ByteTokens {

    static final int BEGIN = 256;
    static final int END = 257;
    static final int VOCABULARY = 258;

    private ByteTokens() {}

    /** The begin mark and the bytes of {@code text}. */
    static int[] of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        var tokens = new int[bytes.length + 1];
        tokens[0] = BEGIN;
        for (int i = 0; i < bytes.length; i++) {
            tokens[i + 1] = Byte.toUnsignedInt(bytes[i]);
        }
        return tokens;
    }
}
