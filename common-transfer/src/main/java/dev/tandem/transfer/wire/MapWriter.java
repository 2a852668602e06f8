package dev.tandem.transfer.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

/** Writes one message's map: {@code type} first, then the fields in the order given, in the shortest codes. */
final class MapWriter {

    private final List<String> names = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    /** @param type the message's wire name */
    MapWriter(String type) {
        put("type", type);
    }

    static MapWriter of(Message message) {
        return new MapWriter(MessageType.of(message).wireName());
    }

    /** A field that is always written: a String, Long, Boolean, OpaqueBytes, or a list of Strings or Longs. */
    MapWriter put(String name, Object value) {
        names.add(name);
        values.add(value);
        return this;
    }

    /** An addition of ours: written only when it says something, so that upstream's messages keep their bytes. */
    MapWriter add(String name, Object value, Object silent) {
        return value.equals(silent) ? this : put(name, value);
    }

    byte[] toBytes() {
        try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
            packer.packMapHeader(names.size());
            for (int i = 0; i < names.size(); i++) {
                packer.packString(names.get(i));
                pack(packer, values.get(i));
            }
            return packer.toByteArray();
        } catch (IOException e) {
            throw new IllegalStateException("packing into memory", e);
        }
    }

    private static void pack(MessageBufferPacker packer, Object value) throws IOException {
        switch (value) {
            case String text -> packer.packString(text);
            case Long number -> packer.packLong(number);
            case Boolean flag -> packer.packBoolean(flag);
            case OpaqueBytes opaque -> {
                byte[] bytes = opaque.toArray();
                packer.packBinaryHeader(bytes.length);
                packer.addPayload(bytes);
            }
            case List<?> list -> {
                packer.packArrayHeader(list.size());
                for (Object each : list) {
                    pack(packer, each);
                }
            }
            default -> throw new IllegalArgumentException("no code for " + value.getClass());
        }
    }
}
