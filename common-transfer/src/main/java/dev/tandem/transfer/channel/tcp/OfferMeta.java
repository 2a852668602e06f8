package dev.tandem.transfer.channel.tcp;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/** Where and how to connect: what an offer tells the other side. */
record OfferMeta(String host, int port, int drivingSockets, Tag tag) {

    byte[] toBytes() {
        byte[] name = host.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Short.BYTES + name.length + 2 * Integer.BYTES + Tag.BYTES)
                .putShort((short) name.length)
                .put(name)
                .putInt(port)
                .putInt(drivingSockets)
                .put(tag.bytes())
                .array();
    }

    /** @throws ChannelException INVALID when these bytes are no offer of this fabric */
    static OfferMeta parse(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        try {
            var name = new byte[checked(buffer.getShort(), 1, 255, "host")];
            buffer.get(name);
            return new OfferMeta(
                    new String(name, StandardCharsets.UTF_8),
                    checked(buffer.getInt(), 1, 65_535, "port"),
                    checked(buffer.getInt(), 1, 64, "sockets"),
                    Tag.read(buffer));
        } catch (BufferUnderflowException e) {
            throw new ChannelException(Reason.INVALID, "tcp offer: %d bytes are too few".formatted(bytes.length), e);
        }
    }

    private static int checked(int value, int least, int most, String what) {
        if (value < least || value > most) {
            throw new ChannelException(
                    Reason.INVALID, "tcp offer: %s %d is not in %d..%d".formatted(what, value, least, most));
        }
        return value;
    }
}
