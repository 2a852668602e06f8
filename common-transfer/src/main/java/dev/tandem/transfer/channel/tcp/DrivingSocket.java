package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.TransferBatch;

/** A socket on which this side sends batches and waits for their answers. Used by one thread at a time. */
final class DrivingSocket {

    private final BatchSocket socket;
    private final LocalRegions regions;
    private final IdleSockets idle;
    private long sequence;
    private long usedAtNanos = System.nanoTime();
    private boolean parked;

    DrivingSocket(BatchSocket socket, LocalRegions regions, IdleSockets idle) {
        this.socket = socket;
        this.regions = regions;
        this.idle = idle;
    }

    BatchSocket socket() {
        return socket;
    }

    /** Has the peer's end noticed, unless the socket was in use a moment ago: the way back costs a little time. */
    void parkIfUnusedSince(long nanos, IdleSockets.Ready ended) {
        if (!parked && usedAtNanos - nanos < 0) {
            parked = true;
            idle.watch(socket.channel(), SelectionKey.OP_READ, ended);
        }
    }

    /** @return false when the deadline passed first */
    boolean unpark(Deadline deadline) throws IOException, InterruptedException {
        if (parked) {
            if (!idle.recall(socket.channel(), deadline)) {
                return false;
            }
            socket.channel().configureBlocking(true);
            parked = false;
        }
        return true;
    }

    /**
     * Sends one batch and waits for its answer.
     *
     * @throws ChannelException REFUSED, or INVALID when the peer hung up on the batch
     * @throws IOException when the connection is over, or the deadline closed it
     */
    void drive(BatchHeader.Kind kind, TransferBatch batch, BufferSet buffers, Deadline deadline) throws IOException {
        socket.closeAt(System.nanoTime() + deadline.remainingNanos());
        sequence++;
        try {
            send(kind, batch, buffers);
        } catch (IOException e) {
            throw explained(e, batch, buffers);
        }
        ByteBuffer answer = readAnswer(buffers);
        int refused = Answer.refused(answer, sequence, batch.size());
        int first = Answer.where(answer);
        if (kind == BatchHeader.Kind.READ) {
            receive(batch, buffers);
        }
        socket.neverClose();
        usedAtNanos = System.nanoTime();
        if (refused > 0) {
            throw new ChannelException(
                    Reason.REFUSED,
                    "the peer refused %d of %d entries, the first at %d: its lease is over or its token is stale"
                            .formatted(refused, batch.size(), first));
        }
    }

    private void send(BatchHeader.Kind kind, TransferBatch batch, BufferSet buffers) throws IOException {
        ByteBuffer header = buffers.outgoing(BatchHeader.BYTES + batch.size() * EntryTable.ENTRY_BYTES);
        BatchHeader.put(header, kind, sequence, batch);
        Gather gather = buffers.gather().begin(socket, header.flip());
        if (kind == BatchHeader.Kind.WRITE) {
            for (int entry = 0; entry < batch.size(); entry++) {
                int region = regions.indexOf(batch.local(entry));
                gather.add(socket, region, batch.localOffset(entry), batch.bytes(entry));
            }
        }
        gather.send(socket);
    }

    /** A peer that hangs up on a batch says why, while this side may still be sending: its answer is there to read. */
    private IOException explained(IOException sending, TransferBatch batch, BufferSet buffers) {
        try {
            Answer.refused(readAnswer(buffers), sequence, batch.size());
        } catch (IOException e) {
            sending.addSuppressed(e);
        }
        return sending;
    }

    private ByteBuffer readAnswer(BufferSet buffers) throws IOException {
        ByteBuffer answer = buffers.incoming(Answer.BYTES);
        socket.readAll(answer);
        return answer;
    }

    private void receive(TransferBatch batch, BufferSet buffers) throws IOException {
        ByteBuffer refused = buffers.incoming(Answer.bitmapBytes(batch.size()));
        socket.readAll(refused);
        for (int entry = 0; entry < batch.size(); entry++) {
            if (!Answer.isRefused(refused, entry)) {
                int region = regions.indexOf(batch.local(entry));
                socket.receive(buffers.views(), region, batch.localOffset(entry), batch.bytes(entry));
            }
        }
    }
}
