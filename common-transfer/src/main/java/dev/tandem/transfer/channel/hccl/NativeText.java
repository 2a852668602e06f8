package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.MemorySegment;

/** C strings that a library owns. */
final class NativeText {

    private static final long LONGEST = 64 * 1024;

    private NativeText() {}

    /** @return empty for a null pointer */
    static String at(long address) {
        return address == 0
                ? ""
                : MemorySegment.ofAddress(address).reinterpret(LONGEST).getString(0);
    }
}
