package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;

import dev.tandem.transfer.channel.TransferBatch;

/** The entries of a peer's batch, as they arrived; reused. */
final class EntryTable {

    static final int ENTRY_BYTES = 32;

    private ByteBuffer table = ByteBuffer.allocateDirect(64 * ENTRY_BYTES);

    static void put(ByteBuffer into, TransferBatch batch, int entry) {
        into.putInt(batch.remote(entry).index())
                .putInt(0)
                .putLong(batch.remoteOffset(entry))
                .putLong(batch.bytes(entry))
                .putLong(batch.token(entry));
    }

    /** Room for this many, to be filled. */
    ByteBuffer room(int entries) {
        int bytes = entries * ENTRY_BYTES;
        if (table.capacity() < bytes) {
            table = ByteBuffer.allocateDirect(Math.max(bytes, 2 * table.capacity()));
        }
        return table.clear().limit(bytes);
    }

    /** Checks every entry against the regions it may touch. */
    void check(BatchHeader header, LocalRegions regions) throws InvalidBatchException {
        long left = header.totalBytes();
        for (int entry = 0; entry < header.entries(); entry++) {
            checkRange(entry, regions);
            if (bytes(entry) > left) {
                throw new InvalidBatchException(Violation.TOTAL, entry, Long.toString(header.totalBytes()));
            }
            left -= bytes(entry);
        }
        if (left != 0) {
            throw new InvalidBatchException(Violation.TOTAL, -1, Long.toString(header.totalBytes()));
        }
    }

    private void checkRange(int entry, LocalRegions regions) throws InvalidBatchException {
        int index = region(entry);
        if (index < 0 || index >= regions.size()) {
            throw new InvalidBatchException(Violation.REGION, entry, Integer.toString(index));
        }
        long regionBytes = regions.get(index).bytes();
        if (bytes(entry) < 1 || offset(entry) < 0 || offset(entry) > regionBytes - bytes(entry)) {
            throw new InvalidBatchException(
                    Violation.RANGE,
                    entry,
                    "%d bytes at %d of region %d, which has %d"
                            .formatted(bytes(entry), offset(entry), index, regionBytes));
        }
    }

    int region(int entry) {
        return table.getInt(entry * ENTRY_BYTES);
    }

    long offset(int entry) {
        return table.getLong(entry * ENTRY_BYTES + 8);
    }

    long bytes(int entry) {
        return table.getLong(entry * ENTRY_BYTES + 16);
    }

    long token(int entry) {
        return table.getLong(entry * ENTRY_BYTES + 24);
    }
}
