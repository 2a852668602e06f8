package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;

import dev.tandem.transfer.channel.ChannelException;

/**
 * What a sender tells a receiver before it gets an offer.
 *
 * @param sockets it would drive, at most
 * @param batchEntries it would serve in a batch, at most
 */
record Greeting(int sockets, int batchEntries) {

    private static final int MAGIC = 0x54444D47;

    byte[] toBytes() {
        return ByteBuffer.allocate(3 * Integer.BYTES)
                .putInt(MAGIC)
                .putInt(sockets)
                .putInt(batchEntries)
                .array();
    }

    /** @throws ChannelException INVALID when these bytes are no greeting of this fabric */
    static Greeting parse(byte[] bytes) {
        return ForeignBytes.parse(
                "greeting",
                bytes,
                MAGIC,
                foreign -> new Greeting(
                        foreign.number("sockets", 1, TcpSettings.MOST_CONNECTIONS),
                        foreign.number("batch entries", 1, TcpSettings.MOST_ENTRIES)));
    }
}
