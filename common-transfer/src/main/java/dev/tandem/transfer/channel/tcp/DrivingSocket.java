package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.TransferBatch;

/** A socket on which this side sends batches and waits for their answers. Used by one thread at a time. */
final class DrivingSocket implements IdleSockets.Timed {

    private static final Runnable NO_MATTER = () -> {};

    private final BatchSocket socket;
    private long sequence;

    DrivingSocket(BatchSocket socket) {
        this.socket = socket;
    }

    boolean late() {
        return socket.late();
    }

    @Override
    public void look(long nowNanos) throws IOException {
        socket.closeIfLate(nowNanos);
    }

    /**
     * Sends one batch and waits for its answer.
     *
     * @throws ChannelException REFUSED
     * @throws IOException when the connection is over, or the deadline closed it
     */
    void drive(BatchHeader.Kind kind, TransferBatch batch, Deadline deadline) throws IOException {
        socket.closeAt(System.nanoTime() + deadline.remainingNanos());
        try {
            sequence++;
            ByteBuffer header = socket.header(BatchHeader.BYTES + batch.size() * BatchHeader.ENTRY_BYTES);
            BatchHeader.put(header, kind, sequence, batch, true);
            socket.writeAll(header);
            if (kind == BatchHeader.Kind.WRITE) {
                for (int entry = 0; entry < batch.size(); entry++) {
                    socket.send(batch.local(entry), batch.localOffset(entry), batch.bytes(entry));
                }
            }
            readAnswer();
            if (kind == BatchHeader.Kind.READ) {
                for (int entry = 0; entry < batch.size(); entry++) {
                    socket.receive(batch.local(entry), batch.localOffset(entry), batch.bytes(entry), NO_MATTER);
                }
            }
        } finally {
            socket.noLimit();
        }
    }

    private void readAnswer() throws IOException {
        ByteBuffer answer = socket.header(BatchHeader.ANSWER_BYTES);
        socket.readAll(answer);
        int status = BatchHeader.status(answer, sequence);
        if (status == BatchHeader.Status.DONE.ordinal()) {
            return;
        }
        if (status == BatchHeader.Status.REFUSED.ordinal()) {
            throw new ChannelException(
                    Reason.REFUSED,
                    "the peer refused %d entries of a batch, the first at %d: its lease is over or its token is stale"
                            .formatted(BatchHeader.refused(answer), BatchHeader.firstRefused(answer)));
        }
        throw new IOException(
                status < 0 ? "the answer is not that of this batch" : "the peer found the batch invalid and hung up");
    }
}
