package dev.tandem.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A safetensors file in memory: the header's length in eight little-endian bytes, a JSON header, then the tensors, end
 * to end. The whole header is checked against the file before any of it is believed.
 */
final class Safetensors {

    private static final int MAX_HEADER_BYTES = 16 << 20;
    private static final String METADATA = "__metadata__";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final ByteBuffer data;
    private final Map<String, Tensor> tensors;

    private Safetensors(ByteBuffer data, Map<String, Tensor> tensors) {
        this.data = data;
        this.tensors = tensors;
    }

    /** Where a tensor lies: bytes {@code from} to {@code to}, exclusive, of the data. */
    private record Tensor(String name, ElementType type, List<Long> shape, long from, long to) {

        void requireSize() {
            long bytes = type.bytes();
            try {
                for (long size : shape) {
                    bytes = Math.multiplyExact(bytes, size);
                }
            } catch (ArithmeticException e) {
                throw refused("tensor %s: shape %s is more than 2^63 bytes".formatted(name, shape), e);
            }
            if (bytes != to - from) {
                throw refused("tensor %s: shape %s of %s is %d bytes, data_offsets [%d, %d] are %d"
                        .formatted(name, shape, type, bytes, from, to, to - from));
            }
        }
    }

    /**
     * Reads the header.
     *
     * @throws IllegalArgumentException naming what is wrong, and the tensor where there is one
     */
    static Safetensors parse(byte[] file) {
        if (file.length < Long.BYTES) {
            throw refused("%d bytes are too few for a header".formatted(file.length));
        }
        ByteBuffer all = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        long headerBytes = all.getLong();
        if (headerBytes < 2 || headerBytes > Math.min(MAX_HEADER_BYTES, all.remaining())) {
            throw refused(
                    "header of %s bytes in a file of %d".formatted(Long.toUnsignedString(headerBytes), file.length));
        }
        JsonNode header = json(file, (int) headerBytes);
        ByteBuffer data = all.position(Long.BYTES + (int) headerBytes).slice().order(ByteOrder.LITTLE_ENDIAN);
        var tensors = new HashMap<String, Tensor>();
        for (Map.Entry<String, JsonNode> entry : header.properties()) {
            if (!entry.getKey().equals(METADATA)) {
                tensors.put(entry.getKey(), tensor(entry.getKey(), entry.getValue()));
            }
        }
        requireEndToEnd(tensors, data.capacity());
        return new Safetensors(data, tensors);
    }

    private static JsonNode json(byte[] file, int headerBytes) {
        try {
            JsonNode header = JSON.readTree(file, Long.BYTES, headerBytes);
            if (!header.isObject()) {
                throw refused("the header is not a JSON object");
            }
            return header;
        } catch (JacksonException e) {
            throw refused("the header is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static Tensor tensor(String name, JsonNode entry) {
        String dtype = entry.path("dtype").asString("");
        ElementType type = ElementType.of(dtype)
                .orElseThrow(() -> refused("tensor %s: dtype '%s', only %s are read"
                        .formatted(name, dtype, List.of(ElementType.values()))));
        List<Long> offsets = sizes(name, entry, "data_offsets");
        if (offsets.size() != 2 || offsets.get(0) > offsets.get(1)) {
            throw refused("tensor %s: data_offsets %s are not a begin and an end".formatted(name, offsets));
        }
        var tensor = new Tensor(name, type, sizes(name, entry, "shape"), offsets.get(0), offsets.get(1));
        tensor.requireSize();
        return tensor;
    }

    private static List<Long> sizes(String name, JsonNode entry, String field) {
        JsonNode list = entry.path(field);
        var sizes = new ArrayList<Long>();
        for (JsonNode size : list) {
            if (!size.isIntegralNumber() || !size.canConvertToLong() || size.longValue() < 0) {
                throw refused("tensor %s: %s %s are not all sizes".formatted(name, field, list));
            }
            sizes.add(size.longValue());
        }
        if (!list.isArray()) {
            throw refused("tensor %s: no list %s".formatted(name, field));
        }
        return sizes;
    }

    /** No tensor reaches over another or out of the file, and no byte is left over: the format's own promise. */
    private static void requireEndToEnd(Map<String, Tensor> tensors, int dataBytes) {
        var inOrder = new ArrayList<>(tensors.values());
        inOrder.sort(Comparator.comparingLong(Tensor::from).thenComparingLong(Tensor::to));
        long end = 0;
        for (Tensor tensor : inOrder) {
            if (tensor.from != end || tensor.to > dataBytes) {
                throw refused("tensor %s: bytes %d..%d, where %d of %d are taken"
                        .formatted(tensor.name, tensor.from, tensor.to, end, dataBytes));
            }
            end = tensor.to;
        }
        if (end != dataBytes) {
            throw refused("%d bytes of data, the tensors have %d".formatted(dataBytes, end));
        }
    }

    /**
     * Reads a tensor, row by row.
     *
     * @param shape what it must be
     * @throws IllegalArgumentException when it is missing or has another shape
     */
    float[] floats(String name, int... shape) {
        @Nullable Tensor tensor = tensors.get(name);
        if (tensor == null) {
            throw refused("there is no tensor " + name);
        }
        var wanted = new ArrayList<Long>();
        for (int size : shape) {
            wanted.add((long) size);
        }
        if (!tensor.shape.equals(wanted)) {
            throw refused("tensor %s: shape %s, must be %s".formatted(name, tensor.shape, wanted));
        }
        var values = new float[(int) (tensor.to - tensor.from) / tensor.type.bytes()];
        for (int i = 0; i < values.length; i++) {
            values[i] = tensor.type.read(data, (int) tensor.from + i * tensor.type.bytes());
        }
        return values;
    }

    private static IllegalArgumentException refused(String why) {
        return new IllegalArgumentException("safetensors: " + why);
    }

    private static IllegalArgumentException refused(String why, Exception cause) {
        return new IllegalArgumentException("safetensors: " + why, cause);
    }
}
