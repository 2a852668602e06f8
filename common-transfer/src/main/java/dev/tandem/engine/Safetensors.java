package dev.tandem.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A safetensors file in memory: eight bytes of header length, a JSON header, then the tensors. Every offset is checked
 * against the file before anything is read.
 */
final class Safetensors {

    private static final int MAX_HEADER = 16 << 20;

    private final JsonNode header;
    private final ByteBuffer data;

    private Safetensors(JsonNode header, ByteBuffer data) {
        this.header = header;
        this.data = data;
    }

    /** @throws IllegalArgumentException when the header is not one */
    static Safetensors parse(byte[] file) {
        ByteBuffer buffer = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        if (file.length < Long.BYTES) {
            throw new IllegalArgumentException("safetensors: %d bytes are too few for a header".formatted(file.length));
        }
        long headerBytes = buffer.getLong();
        if (headerBytes < 2 || headerBytes > Math.min(MAX_HEADER, buffer.remaining())) {
            throw new IllegalArgumentException(
                    "safetensors: header of %d bytes in a file of %d".formatted(headerBytes, file.length));
        }
        var text = new String(file, Long.BYTES, (int) headerBytes, StandardCharsets.UTF_8);
        buffer.position(Long.BYTES + (int) headerBytes);
        try {
            JsonNode header = JsonMapper.builder().build().readTree(text);
            if (!header.isObject()) {
                throw new IllegalArgumentException("safetensors: the header is not a JSON object");
            }
            return new Safetensors(header, buffer.slice().order(ByteOrder.LITTLE_ENDIAN));
        } catch (JacksonException e) {
            throw new IllegalArgumentException("safetensors: the header is not JSON", e);
        }
    }

    /**
     * Reads a tensor as 32-bit floats, row by row.
     *
     * @param shape what it must be
     * @throws IllegalArgumentException naming the tensor when it is missing or not as expected
     */
    float[] floats(String name, int... shape) {
        JsonNode tensor = header.path(name);
        if (tensor.isMissingNode()) {
            throw new IllegalArgumentException("safetensors: no tensor " + name);
        }
        requireShape(name, tensor, shape);
        int width = switch (tensor.path("dtype").asString("")) {
            case "F16" -> Short.BYTES;
            case "F32" -> Float.BYTES;
            default ->
                throw new IllegalArgumentException("safetensors: tensor %s has dtype %s, F16 and F32 are read"
                        .formatted(name, tensor.path("dtype")));
        };
        int count = 1;
        for (int size : shape) {
            count = Math.multiplyExact(count, size);
        }
        ByteBuffer bytes = bytes(name, tensor, Math.multiplyExact(count, width));
        var values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = width == Short.BYTES
                    ? Float.float16ToFloat(bytes.getShort(i * Short.BYTES))
                    : bytes.getFloat(i * Float.BYTES);
        }
        return values;
    }

    private static void requireShape(String name, JsonNode tensor, int[] shape) {
        List<Long> found = new ArrayList<>();
        tensor.path("shape").forEach(size -> found.add(size.asLong(-1)));
        List<Long> wanted = new ArrayList<>();
        for (int size : shape) {
            wanted.add((long) size);
        }
        if (!found.equals(wanted)) {
            throw new IllegalArgumentException(
                    "safetensors: tensor %s has shape %s, not %s".formatted(name, found, wanted));
        }
    }

    private ByteBuffer bytes(String name, JsonNode tensor, int expected) {
        JsonNode offsets = tensor.path("data_offsets");
        long from = offsets.path(0).asLong(-1);
        long to = offsets.path(1).asLong(-1);
        if (from < 0 || to < from || to > data.capacity() || to - from != expected) {
            throw new IllegalArgumentException("safetensors: tensor %s at %d..%d, %d bytes are wanted of %d"
                    .formatted(name, from, to, expected, data.capacity()));
        }
        return data.slice((int) from, expected).order(ByteOrder.LITTLE_ENDIAN);
    }
}
