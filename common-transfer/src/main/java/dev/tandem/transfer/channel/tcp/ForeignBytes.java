package dev.tandem.transfer.channel.tcp;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/** Reads opaque bytes that the other side's channel made, and trusts none of them. */
final class ForeignBytes {

    private final String what;
    private final ByteBuffer bytes;

    private ForeignBytes(String what, byte[] bytes) {
        this.what = what;
        this.bytes = ByteBuffer.wrap(bytes);
    }

    /**
     * Parses all of these bytes.
     *
     * @param what they should be, for messages
     * @param magic they begin with
     * @throws ChannelException INVALID when they are something else, too short or too long
     */
    static <T> T parse(String what, byte[] bytes, int magic, Function<ForeignBytes, T> parser) {
        var foreign = new ForeignBytes(what, bytes);
        try {
            if (foreign.bytes.getInt() != magic) {
                throw foreign.invalid("they begin differently");
            }
            T parsed = parser.apply(foreign);
            if (foreign.bytes.hasRemaining()) {
                throw foreign.invalid("%d bytes are left over".formatted(foreign.bytes.remaining()));
            }
            return parsed;
        } catch (BufferUnderflowException e) {
            throw foreign.invalid("%d bytes are too few".formatted(bytes.length));
        }
    }

    int number(String name, int least, int most) {
        int value = bytes.getInt();
        if (value < least || value > most) {
            throw invalid("%s %d is not in %d..%d".formatted(name, value, least, most));
        }
        return value;
    }

    long size(String name) {
        long value = bytes.getLong();
        if (value < 1) {
            throw invalid("%s %d is below 1".formatted(name, value));
        }
        return value;
    }

    String text(String name, int mostBytes) {
        var text = new byte[number(name + " length", 1, mostBytes)];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    Tag tag() {
        return Tag.read(bytes);
    }

    private ChannelException invalid(String why) {
        return new ChannelException(Reason.INVALID, "these bytes are no tcp %s: %s".formatted(what, why));
    }
}
