package dev.tandem.transfer.handover;

import java.util.zip.CRC32C;

import dev.tandem.transfer.memory.Page;

/** CRC-32C of exactly a chunk's bytes in its page, as an unsigned 32-bit value. */
final class Checksum {

    /** One buffer holds at most 2 GiB; a larger chunk is taken in pieces. */
    private static final long PIECE = 1L << 30;

    private Checksum() {}

    static long of(Page page, long bytes) {
        var crc = new CRC32C();
        var segment = page.segment(bytes);
        for (long from = 0; from < bytes; from += PIECE) {
            crc.update(segment.asSlice(from, Math.min(PIECE, bytes - from)).asByteBuffer());
        }
        return crc.getValue();
    }
}
