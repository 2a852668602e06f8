package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;

/** A one-time secret that admits sockets to one offer. */
final class Tag {

    static final int BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] bytes;

    private Tag(byte[] bytes) {
        this.bytes = bytes;
    }

    static Tag random() {
        var bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return new Tag(bytes);
    }

    static Tag read(ByteBuffer from) {
        var bytes = new byte[BYTES];
        from.get(bytes);
        return new Tag(bytes);
    }

    byte[] bytes() {
        return bytes.clone();
    }

    /** Compares in constant time. */
    boolean matches(Tag other) {
        return MessageDigest.isEqual(bytes, other.bytes);
    }
}
