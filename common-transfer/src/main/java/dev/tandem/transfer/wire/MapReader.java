package dev.tandem.transfer.wire;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePackException;

/**
 * One message's map, read strictly (docs/protocol.md, "Encoding"). Notes where the values are and decodes only those it
 * is asked for, so that unknown keys cost no memory.
 */
final class MapReader {

    /** No message has a tenth of these; what is noted of hostile ones stays small. */
    private static final int MAX_KEYS = 256;

    private static final String MESSAGE = "message";

    private final byte[] payload;
    private final Map<String, Integer> offsets;

    private MapReader(byte[] payload, Map<String, Integer> offsets) {
        this.payload = payload;
        this.offsets = offsets;
    }

    /** @throws MalformedMessageException when the payload is not exactly one well-formed map with string keys */
    static MapReader of(byte[] payload) {
        if (payload.length == 0) {
            throw new MalformedMessageException("message: empty");
        }
        return new MapReader(payload, reading(MESSAGE, () -> offsets(payload)));
    }

    private static Map<String, Integer> offsets(byte[] payload) throws IOException {
        var unpacker = new StrictUnpacker(payload, 0);
        int entries = unpacker.mapHeader(MESSAGE);
        if (entries > MAX_KEYS) {
            throw new MalformedMessageException("message: %d keys, at most %d".formatted(entries, MAX_KEYS));
        }
        var offsets = new HashMap<String, Integer>();
        for (int i = 0; i < entries; i++) {
            String key = unpacker.text("key");
            offsets.put(key, unpacker.position());
            unpacker.skip(key, 2);
        }
        if (!unpacker.atEnd()) {
            throw new MalformedMessageException("message: bytes follow its end");
        }
        return offsets;
    }

    String text(String name) {
        return required(name, StrictUnpacker::text);
    }

    String text(String name, String otherwise) {
        return optional(name, StrictUnpacker::text, otherwise);
    }

    OpaqueBytes bytes(String name) {
        return required(name, StrictUnpacker::bytes);
    }

    OpaqueBytes bytesOrEmpty(String name) {
        return optional(name, StrictUnpacker::bytes, OpaqueBytes.EMPTY);
    }

    long integer(String name) {
        return required(name, StrictUnpacker::integer);
    }

    long integer(String name, long otherwise) {
        return optional(name, StrictUnpacker::integer, otherwise);
    }

    boolean flag(String name) {
        return required(name, StrictUnpacker::flag);
    }

    boolean flag(String name, boolean otherwise) {
        return optional(name, StrictUnpacker::flag, otherwise);
    }

    List<String> texts(String name) {
        return required(name, StrictUnpacker::texts);
    }

    List<String> textsOrEmpty(String name) {
        return optional(name, StrictUnpacker::texts, List.of());
    }

    List<Long> integers(String name) {
        return required(name, StrictUnpacker::integers);
    }

    List<Long> integersOrEmpty(String name) {
        return optional(name, StrictUnpacker::integers, List.of());
    }

    private <T> T required(String name, Value<T> value) {
        @Nullable Integer offset = offsets.get(name);
        if (offset == null) {
            throw new MalformedMessageException(name + ": missing");
        }
        return reading(name, () -> value.read(new StrictUnpacker(payload, offset), name));
    }

    private <T> T optional(String name, Value<T> value, T otherwise) {
        return offsets.containsKey(name) ? required(name, value) : otherwise;
    }

    /** How a value of one type is read. */
    private interface Value<T> {
        T read(StrictUnpacker unpacker, String name) throws IOException;
    }

    private interface Reading<T> {
        T read() throws IOException;
    }

    private static <T> T reading(String name, Reading<T> reading) {
        try {
            return reading.read();
        } catch (IOException | MessagePackException e) {
            throw new MalformedMessageException(name + ": cut off or not MessagePack", e);
        }
    }
}
