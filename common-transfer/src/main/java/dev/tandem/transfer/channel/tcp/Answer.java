package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/** The acknowledgement of a batch, read and written in place (see the package's description). */
final class Answer {

    static final int BYTES = 24;

    private static final int MAGIC = 0x54444D41;
    private static final int DONE = 0;
    private static final int REFUSED = 1;
    private static final int INVALID = 2;

    private Answer() {}

    /** @param refused number of refused entries; 0 means done */
    static void put(ByteBuffer into, long sequence, int firstRefused, int refused) {
        put(into, refused == 0 ? DONE : REFUSED, sequence, firstRefused, refused);
    }

    static void putInvalid(ByteBuffer into, long sequence, InvalidBatchException why) {
        put(into, INVALID, sequence, why.entry(), why.violation().code());
    }

    private static void put(ByteBuffer into, int status, long sequence, int where, int what) {
        into.putInt(MAGIC).putInt(status).putLong(sequence).putInt(where).putInt(what);
    }

    /**
     * Reads the answer to a batch.
     *
     * @return how many entries were refused
     * @throws ChannelException INVALID when the peer hung up on the batch
     * @throws IOException when these bytes do not answer that batch
     */
    static int refused(ByteBuffer answer, long sequence, int entries) throws IOException {
        int status = answer.getInt(4);
        int what = answer.getInt(20);
        if (answer.getInt(0) != MAGIC || answer.getLong(8) != sequence) {
            throw new IOException("the answer is not that of this batch");
        }
        if (status == INVALID) {
            throw new ChannelException(
                    Reason.INVALID,
                    "the peer hung up on a batch that, at entry %d, %s"
                            .formatted(where(answer), Violation.sentence(what)));
        }
        boolean sane = status == DONE ? what == 0 : status == REFUSED && what > 0 && what <= entries;
        if (!sane) {
            throw new IOException("an answer of status %d with %d of %d refused".formatted(status, what, entries));
        }
        return what;
    }

    /** First refused entry. */
    static int where(ByteBuffer answer) {
        return answer.getInt(16);
    }

    static int bitmapBytes(int entries) {
        return (entries + 7) / 8;
    }

    static void setRefused(ByteBuffer bitmap, int entry) {
        bitmap.put(entry / 8, (byte) (bitmap.get(entry / 8) | 1 << entry % 8));
    }

    static boolean isRefused(ByteBuffer bitmap, int entry) {
        return (bitmap.get(entry / 8) & 1 << entry % 8) != 0;
    }
}
