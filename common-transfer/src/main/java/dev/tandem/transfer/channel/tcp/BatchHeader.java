package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;

import dev.tandem.transfer.channel.TransferBatch;

/** The fixed layouts of batches and answers (see the package's description). */
final class BatchHeader {

    static final int BYTES = 32;
    static final int ENTRY_BYTES = 32;
    static final int ANSWER_BYTES = 24;
    static final int MAX_ENTRIES = 65_536;

    private static final int BATCH_MAGIC = 0x54444D42;
    private static final int ANSWER_MAGIC = 0x54444D41;

    private BatchHeader() {}

    /** What a batch asks. */
    enum Kind {
        WRITE,
        READ,
        PROBE
    }

    /** How a batch ended. */
    enum Status {
        DONE,
        REFUSED,
        INVALID
    }

    static void put(ByteBuffer into, Kind kind, long sequence, TransferBatch batch, boolean remote) {
        into.putInt(BATCH_MAGIC)
                .put((byte) kind.ordinal())
                .put((byte) 0)
                .putShort((short) 0)
                .putLong(sequence)
                .putInt(batch.size())
                .putInt(0)
                .putLong(batch.totalBytes());
        for (int entry = 0; remote && entry < batch.size(); entry++) {
            into.putInt(batch.remote(entry).index())
                    .putInt(0)
                    .putLong(batch.remoteOffset(entry))
                    .putLong(batch.bytes(entry))
                    .putLong(batch.token(entry));
        }
        into.flip();
    }

    /** @return the kind, or -1 if these bytes are no batch */
    static int kind(ByteBuffer header) {
        int kind = header.get(4);
        return header.getInt(0) == BATCH_MAGIC && kind >= 0 && kind < Kind.values().length ? kind : -1;
    }

    static long sequence(ByteBuffer header) {
        return header.getLong(8);
    }

    static int entries(ByteBuffer header) {
        return header.getInt(16);
    }

    static void putAnswer(ByteBuffer into, Status status, long sequence, int firstRefused, int refused) {
        into.putInt(ANSWER_MAGIC)
                .putInt(status.ordinal())
                .putLong(sequence)
                .putInt(firstRefused)
                .putInt(refused)
                .flip();
    }

    /** @return the status' ordinal, or -1 if these bytes do not answer that batch */
    static int status(ByteBuffer answer, long sequence) {
        int status = answer.getInt(4);
        boolean valid = answer.getInt(0) == ANSWER_MAGIC && answer.getLong(8) == sequence;
        return valid && status >= 0 && status < Status.values().length ? status : -1;
    }

    static int firstRefused(ByteBuffer answer) {
        return answer.getInt(16);
    }

    static int refused(ByteBuffer answer) {
        return answer.getInt(20);
    }
}
