package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;
import java.util.Optional;

/** The first bytes on a socket: which offer it belongs to, and who drives it. */
record Hello(Role role, Tag tag) {

    static final int BYTES = 40;
    static final byte ACCEPTED = 1;

    private static final int MAGIC = 0x54444D43;
    private static final byte VERSION = 1;

    /** Which side sends batches on a socket; the other serves them. */
    enum Role {
        CONNECTOR_DRIVES(0),
        ACCEPTOR_DRIVES(1);

        private static final Role[] ALL = values();

        private final byte code;

        Role(int code) {
            this.code = (byte) code;
        }
    }

    ByteBuffer toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .put(VERSION)
                .put(role.code)
                .putShort((short) 0)
                .put(tag.bytes())
                .flip();
    }

    /** Empty when these bytes are no hello, or only a part of one. */
    static Optional<Hello> parse(ByteBuffer bytes) {
        if (bytes.remaining() != BYTES || bytes.getInt() != MAGIC || bytes.get() != VERSION) {
            return Optional.empty();
        }
        int role = bytes.get();
        bytes.getShort();
        if (role < 0 || role >= Role.ALL.length) {
            return Optional.empty();
        }
        return Optional.of(new Hello(Role.ALL[role], Tag.read(bytes)));
    }
}
