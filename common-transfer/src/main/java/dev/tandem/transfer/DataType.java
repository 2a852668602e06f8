package dev.tandem.transfer;

import java.util.Locale;
import java.util.Optional;

/** Element types of KV, by their names on the wire and their widths in bytes (protocol: allocation). */
public enum DataType {
    HALF(2),
    BFLOAT16(2),
    FLOAT(4),
    DOUBLE(8),
    INT8(1),
    UINT8(1),
    INT16(2),
    INT32(4),
    INT64(8),
    BOOL(1),
    FP8_E4M3FN(1),
    FP8_E4M3FNUZ(1),
    FP8_E5M2(1),
    FP8_E5M2FNUZ(1);

    private final int bytes;

    DataType(int bytes) {
        this.bytes = bytes;
    }

    /** Width of one element in bytes. */
    public int bytes() {
        return bytes;
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<DataType> of(String wireName) {
        for (DataType type : values()) {
            if (type.wireName().equals(wireName)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
