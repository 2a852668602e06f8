package dev.tandem.engine;

import java.nio.ByteBuffer;
import java.util.Optional;

/** The element types of a safetensors file that a model may have. */
enum ElementType {
    F16(Short.BYTES) {
        @Override
        float read(ByteBuffer data, int at) {
            return Float.float16ToFloat(data.getShort(at));
        }
    },
    BF16(Short.BYTES) {
        @Override
        float read(ByteBuffer data, int at) {
            return Float.intBitsToFloat(data.getShort(at) << Short.SIZE);
        }
    },
    F32(Float.BYTES) {
        @Override
        float read(ByteBuffer data, int at) {
            return data.getFloat(at);
        }
    };

    private final int bytes;

    ElementType(int bytes) {
        this.bytes = bytes;
    }

    /** Width of one element in bytes. */
    int bytes() {
        return bytes;
    }

    /** The element that starts at the byte {@code at}. */
    abstract float read(ByteBuffer data, int at);

    static Optional<ElementType> of(String name) {
        for (ElementType type : values()) {
            if (type.name().equals(name)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
