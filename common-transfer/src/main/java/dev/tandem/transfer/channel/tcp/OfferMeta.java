package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import dev.tandem.transfer.channel.ChannelException;

/**
 * What an offer tells the other side: where and how to connect.
 *
 * @param sockets that the connecting side drives; one more is driven by the accepting side
 * @param batchEntries that the accepting side serves in a batch, at most
 */
record OfferMeta(String host, int port, int sockets, int batchEntries, Tag tag) {

    private static final int MAGIC = 0x54444D4F;

    byte[] toBytes() {
        byte[] name = host.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 * Integer.BYTES + name.length + Tag.BYTES)
                .putInt(MAGIC)
                .putInt(name.length)
                .put(name)
                .putInt(port)
                .putInt(sockets)
                .putInt(batchEntries)
                .put(tag.bytes())
                .array();
    }

    /** @throws ChannelException INVALID when these bytes are no offer of this fabric */
    static OfferMeta parse(byte[] bytes) {
        return ForeignBytes.parse(
                "offer",
                bytes,
                MAGIC,
                foreign -> new OfferMeta(
                        foreign.text("host", TcpSettings.LONGEST_HOST),
                        foreign.number("port", 1, 65_535),
                        foreign.number("sockets", 1, TcpSettings.MOST_CONNECTIONS),
                        foreign.number("batch entries", 1, TcpSettings.MOST_ENTRIES),
                        foreign.tag()));
    }
}
