package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;

import dev.tandem.transfer.channel.TransferBatch;

/**
 * The fixed beginning of a batch (see the package's description).
 *
 * @param sequence counts the batches of a socket, from 1
 * @param totalBytes of all entries
 */
record BatchHeader(Kind kind, long sequence, int entries, long totalBytes) {

    static final int BYTES = 32;

    private static final int MAGIC = 0x54444D42;

    /** What a batch asks. */
    enum Kind {
        WRITE(0),
        READ(1),
        PROBE(2);

        private static final Kind[] ALL = values();

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    /** Puts a batch's header and its entries; an unboxed twin of {@link #read}. */
    static void put(ByteBuffer into, Kind kind, long sequence, TransferBatch batch) {
        into.putInt(MAGIC)
                .putInt(kind.code << 24)
                .putLong(sequence)
                .putInt(batch.size())
                .putInt(0)
                .putLong(batch.totalBytes());
        for (int entry = 0; entry < batch.size(); entry++) {
            EntryTable.put(into, batch, entry);
        }
    }

    /**
     * Reads and checks a header that has arrived.
     *
     * @param expected sequence
     * @param mostEntries that this side serves
     */
    static BatchHeader read(ByteBuffer header, long expected, int mostEntries) throws InvalidBatchException {
        int kind = header.get(4);
        long sequence = header.getLong(8);
        int entries = header.getInt(16);
        require(header.getInt(0) == MAGIC, Violation.MAGIC, header.getInt(0));
        require(kind >= 0 && kind < Kind.ALL.length, Violation.KIND, kind);
        require(sequence == expected, Violation.SEQUENCE, sequence);
        int most = Kind.ALL[kind] == Kind.PROBE ? 0 : mostEntries;
        require(entries >= 0 && entries <= most, Violation.ENTRIES, entries);
        return new BatchHeader(Kind.ALL[kind], sequence, entries, header.getLong(24));
    }

    private static void require(boolean holds, Violation violation, long found) throws InvalidBatchException {
        if (!holds) {
            throw new InvalidBatchException(violation, -1, Long.toString(found));
        }
    }
}
