package dev.tandem.transfer.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.msgpack.core.MessageIntegerOverflowException;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ValueType;

/**
 * Reads MessagePack values of exactly the expected type. A declared length costs nothing before as many bytes are
 * there. What is wrong is said of the field by name.
 */
final class StrictUnpacker {

    /** The message's own map is the first level. */
    static final int MAX_DEPTH = 8;

    private final int offset;
    private final int length;
    private final MessageUnpacker unpacker;

    StrictUnpacker(byte[] payload, int offset) {
        this.offset = offset;
        this.length = payload.length - offset;
        this.unpacker = MessagePack.newDefaultUnpacker(payload, offset, length);
    }

    /** Where the next value begins in the payload. */
    int position() {
        return offset + Math.toIntExact(unpacker.getTotalReadBytes());
    }

    boolean atEnd() {
        return unpacker.getTotalReadBytes() == length;
    }

    private int left() {
        return Math.toIntExact(length - unpacker.getTotalReadBytes());
    }

    /** The next value's header if it is a map. */
    int mapHeader(String name) throws IOException {
        expect(name, ValueType.MAP, "map");
        return bounded(name, unpacker.unpackMapHeader(), 2);
    }

    String text(String name) throws IOException {
        expect(name, ValueType.STRING, "str");
        byte[] bytes = unpacker.readPayload(bounded(name, unpacker.unpackRawStringHeader(), 1));
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedMessageException(name + ": expected str, got bytes that are not UTF-8", e);
        }
    }

    OpaqueBytes bytes(String name) throws IOException {
        expect(name, ValueType.BINARY, "bin");
        return OpaqueBytes.of(unpacker.readPayload(bounded(name, unpacker.unpackBinaryHeader(), 1)));
    }

    boolean flag(String name) throws IOException {
        expect(name, ValueType.BOOLEAN, "bool");
        return unpacker.unpackBoolean();
    }

    long integer(String name) throws IOException {
        expect(name, ValueType.INTEGER, "int");
        try {
            return unpacker.unpackLong();
        } catch (MessageIntegerOverflowException e) {
            throw new MalformedMessageException(
                    "%s: expected int up to 2^63-1, got %s".formatted(name, e.getBigInteger()), e);
        }
    }

    List<String> texts(String name) throws IOException {
        return list(name, this::text);
    }

    List<Long> integers(String name) throws IOException {
        return list(name, this::integer);
    }

    private <T> List<T> list(String name, Element<T> element) throws IOException {
        expect(name, ValueType.ARRAY, "array");
        int size = bounded(name, unpacker.unpackArrayHeader(), 1);
        var list = new ArrayList<T>();
        for (int i = 0; i < size; i++) {
            list.add(element.read(name));
        }
        return list;
    }

    /** Reads one element of a list. */
    private interface Element<T> {
        T read(String name) throws IOException;
    }

    /** Passes over a value that may be of any type. */
    void skip(String name, int depth) throws IOException {
        switch (unpacker.getNextFormat().getValueType()) {
            case NIL, BOOLEAN, INTEGER, FLOAT -> unpacker.skipValue();
            case STRING -> skipPayload(name, unpacker.unpackRawStringHeader());
            case BINARY -> skipPayload(name, unpacker.unpackBinaryHeader());
            case EXTENSION ->
                skipPayload(name, unpacker.unpackExtensionTypeHeader().getLength());
            case ARRAY -> skipElements(name, bounded(name, unpacker.unpackArrayHeader(), 1), depth);
            case MAP -> skipElements(name, 2L * bounded(name, unpacker.unpackMapHeader(), 2), depth);
        }
    }

    private void skipElements(String name, long count, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new MalformedMessageException("%s: nested deeper than %d".formatted(name, MAX_DEPTH));
        }
        for (long i = 0; i < count; i++) {
            skip(name, depth + 1);
        }
    }

    private void skipPayload(String name, int bytes) throws IOException {
        unpacker.readPayloadAsReference(bounded(name, bytes, 1));
    }

    private void expect(String name, ValueType expected, String expectedName) throws IOException {
        ValueType got = unpacker.getNextFormat().getValueType();
        if (got != expected) {
            throw new MalformedMessageException("%s: expected %s, got %s"
                    .formatted(name, expectedName, got.name().toLowerCase(Locale.ROOT)));
        }
    }

    /** Refuses a length that what is left of the message cannot hold. */
    private int bounded(String name, int declared, int leastBytesEach) {
        if (declared < 0 || (long) declared * leastBytesEach > left()) {
            throw new MalformedMessageException(
                    "%s: declares a length of %d, %d bytes are left".formatted(name, declared, left()));
        }
        return declared;
    }
}
