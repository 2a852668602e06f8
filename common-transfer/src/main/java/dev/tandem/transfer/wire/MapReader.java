package dev.tandem.transfer.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;

/**
 * One message's map, read strictly (docs/protocol.md, "Encoding"): every value must be well-formed, even of keys that
 * nobody asks for, and a declared length never costs memory before its bytes are there.
 */
final class MapReader {

    private static final int MAX_DEPTH = 8;

    private final Map<String, Object> fields;

    private MapReader(Map<String, Object> fields) {
        this.fields = fields;
    }

    /** Stands for nil, which is no value of any field. */
    private enum Nil {
        NIL
    }

    /** @throws MalformedMessageException when the payload is not exactly one well-formed map with string keys */
    static MapReader of(byte[] payload) {
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(payload)) {
            if (payload.length == 0 || !unpacker.getNextFormat().getValueType().isMapType()) {
                throw new MalformedMessageException("the message is not a map");
            }
            var map = new Parser(unpacker, payload.length).map(1);
            if (unpacker.getTotalReadBytes() != payload.length) {
                throw new MalformedMessageException("bytes follow the message");
            }
            return new MapReader(map);
        } catch (IOException | MessagePackException e) {
            throw new MalformedMessageException("the message is cut off or not MessagePack", e);
        }
    }

    private record Parser(MessageUnpacker unpacker, int length) {

        Map<String, Object> map(int depth) throws IOException {
            int entries = bounded(unpacker.unpackMapHeader(), 2);
            var map = new HashMap<String, Object>();
            for (int i = 0; i < entries; i++) {
                if (!unpacker.getNextFormat().getValueType().isStringType()) {
                    throw new MalformedMessageException("a key is not a str");
                }
                map.put(text(), value(depth));
            }
            return map;
        }

        private Object value(int depth) throws IOException {
            if (depth > MAX_DEPTH) {
                throw new MalformedMessageException("nested deeper than " + MAX_DEPTH);
            }
            return switch (unpacker.getNextFormat().getValueType()) {
                case NIL -> {
                    unpacker.unpackNil();
                    yield Nil.NIL;
                }
                case BOOLEAN -> unpacker.unpackBoolean();
                case INTEGER -> unpacker.unpackBigInteger().longValue();
                case FLOAT -> unpacker.unpackDouble();
                case STRING -> text();
                case BINARY -> OpaqueBytes.of(unpacker.readPayload(bounded(unpacker.unpackBinaryHeader(), 1)));
                case ARRAY -> list(depth);
                case MAP -> map(depth + 1);
                case EXTENSION -> {
                    unpacker.skipValue();
                    yield Nil.NIL;
                }
            };
        }

        private List<Object> list(int depth) throws IOException {
            int size = bounded(unpacker.unpackArrayHeader(), 1);
            var list = new ArrayList<Object>(size);
            for (int i = 0; i < size; i++) {
                list.add(value(depth + 1));
            }
            return list;
        }

        private String text() throws IOException {
            byte[] bytes = unpacker.readPayload(bounded(unpacker.unpackRawStringHeader(), 1));
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new MalformedMessageException("a str is not UTF-8", e);
            }
        }

        /** Refuses a count that cannot fit into what is left of the message. */
        private int bounded(int count, int leastBytesEach) {
            long left = length - unpacker.getTotalReadBytes();
            if (count < 0 || (long) count * leastBytesEach > left) {
                throw new MalformedMessageException("a length of %d, %d bytes are left".formatted(count, left));
            }
            return count;
        }
    }

    String text(String name) {
        return require(name, find(name, String.class, "str"));
    }

    String text(String name, String otherwise) {
        String value = find(name, String.class, "str");
        return value == null ? otherwise : value;
    }

    OpaqueBytes bytes(String name) {
        return require(name, find(name, OpaqueBytes.class, "bin"));
    }

    OpaqueBytes bytesOrEmpty(String name) {
        OpaqueBytes value = find(name, OpaqueBytes.class, "bin");
        return value == null ? OpaqueBytes.EMPTY : value;
    }

    long integer(String name) {
        return require(name, find(name, Long.class, "int"));
    }

    long integer(String name, long otherwise) {
        Long value = find(name, Long.class, "int");
        return value == null ? otherwise : value;
    }

    boolean flag(String name) {
        return require(name, find(name, Boolean.class, "bool"));
    }

    boolean flag(String name, boolean otherwise) {
        Boolean value = find(name, Boolean.class, "bool");
        return value == null ? otherwise : value;
    }

    List<String> texts(String name) {
        return elements(name, require(name, find(name, List.class, "array")), String.class, "str");
    }

    List<String> textsOrEmpty(String name) {
        return fields.containsKey(name) ? texts(name) : List.of();
    }

    List<Long> integers(String name) {
        return elements(name, require(name, find(name, List.class, "array")), Long.class, "int");
    }

    List<Long> integersOrEmpty(String name) {
        return fields.containsKey(name) ? integers(name) : List.of();
    }

    private <T> @Nullable T find(String name, Class<T> type, String expected) {
        Object value = fields.get(name);
        if (value != null && !type.isInstance(value)) {
            throw wrong(name, expected, value);
        }
        return type.cast(value);
    }

    private static <T> T require(String name, @Nullable T value) {
        if (value == null) {
            throw new MalformedMessageException(name + ": missing");
        }
        return value;
    }

    private static <T> List<T> elements(String name, List<?> list, Class<T> type, String expected) {
        var elements = new ArrayList<T>(list.size());
        for (Object each : list) {
            if (!type.isInstance(each)) {
                throw wrong(name, expected, each);
            }
            elements.add(type.cast(each));
        }
        return elements;
    }

    private static MalformedMessageException wrong(String name, String expected, Object value) {
        return new MalformedMessageException("%s: expected %s, got %s"
                .formatted(name, expected, value.getClass().getSimpleName()));
    }
}
