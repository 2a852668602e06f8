package dev.tandem.transfer.wire;

import java.util.Arrays;

/** Bytes that the protocol carries and never interprets. Immutable. */
public final class OpaqueBytes {

    public static final OpaqueBytes EMPTY = new OpaqueBytes(new byte[0]);

    private final byte[] bytes;

    private OpaqueBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    public static OpaqueBytes of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new OpaqueBytes(bytes.clone());
    }

    public byte[] toArray() {
        return bytes.clone();
    }

    public int size() {
        return bytes.length;
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpaqueBytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The size only: tokens and tags must not reach a log. */
    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
