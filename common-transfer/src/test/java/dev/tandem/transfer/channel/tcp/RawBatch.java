package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;
import java.util.List;

/** The bytes of a batch's header, whatever stands in it. */
record RawBatch(int magic, int kind, long sequence, int entries, long totalBytes, List<Entry> table) {

    private static final int MAGIC = 0x54444D42;

    record Entry(int region, long offset, long bytes) {}

    /** A first batch that is as it should be. */
    static RawBatch write(Entry... table) {
        return write(List.of(table));
    }

    static RawBatch write(List<Entry> table) {
        long total = table.stream().mapToLong(Entry::bytes).sum();
        return new RawBatch(MAGIC, BatchHeader.Kind.WRITE.code(), 1, table.size(), total, table);
    }

    static Entry entry(int region, long offset, long bytes) {
        return new Entry(region, offset, bytes);
    }

    RawBatch withMagic(int value) {
        return new RawBatch(value, kind, sequence, entries, totalBytes, table);
    }

    RawBatch withKind(int value) {
        return new RawBatch(magic, value, sequence, entries, totalBytes, table);
    }

    RawBatch withSequence(long value) {
        return new RawBatch(magic, kind, value, entries, totalBytes, table);
    }

    RawBatch withEntries(int value) {
        return new RawBatch(magic, kind, sequence, value, totalBytes, table);
    }

    RawBatch withTotal(long value) {
        return new RawBatch(magic, kind, sequence, entries, value, table);
    }

    ByteBuffer toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(BatchHeader.BYTES + table.size() * EntryTable.ENTRY_BYTES)
                .putInt(magic)
                .put((byte) kind)
                .put(new byte[3])
                .putLong(sequence)
                .putInt(entries)
                .putInt(0)
                .putLong(totalBytes);
        for (Entry entry : table) {
            bytes.putInt(entry.region())
                    .putInt(0)
                    .putLong(entry.offset())
                    .putLong(entry.bytes())
                    .putLong(0);
        }
        return bytes.flip();
    }
}
