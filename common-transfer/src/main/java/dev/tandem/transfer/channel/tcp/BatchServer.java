package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

import dev.tandem.transfer.channel.MemoryGuard;

/**
 * Serves the batches that arrive on one socket: checks every entry of a header before a byte lands, and asks the guard
 * for each entry. Used by one thread at a time.
 */
final class BatchServer {

    private final BatchSocket socket;
    private final LocalRegions regions;
    private final MemoryGuard guard;
    private final int mostEntries;
    private long sequence;
    private int refused;
    private int firstRefused;

    BatchServer(BatchSocket socket, LocalRegions regions, MemoryGuard guard, int mostEntries) {
        this.socket = socket;
        this.regions = regions;
        this.guard = guard;
        this.mostEntries = mostEntries;
    }

    /**
     * Serves one batch.
     *
     * @param beginning the first bytes of its header, as many as are there already
     * @throws InvalidBatchException once the peer was told; the socket must be closed then
     */
    void serve(ByteBuffer beginning, BufferSet buffers) throws IOException {
        socket.readAll(beginning);
        sequence++;
        refused = 0;
        firstRefused = -1;
        BatchHeader header = checked(beginning, buffers);
        switch (header.kind()) {
            case WRITE -> receive(header, buffers);
            case READ -> send(header, buffers);
            case PROBE -> answer(buffers);
        }
    }

    private BatchHeader checked(ByteBuffer bytes, BufferSet buffers) throws IOException {
        try {
            BatchHeader header = BatchHeader.read(bytes, sequence, mostEntries);
            socket.readAll(buffers.entries().room(header.entries()));
            buffers.entries().check(header, regions);
            return header;
        } catch (InvalidBatchException e) {
            ByteBuffer answer = buffers.outgoing(Answer.BYTES);
            Answer.putInvalid(answer, sequence, e);
            socket.writeAll(answer.flip());
            throw e;
        }
    }

    private void receive(BatchHeader header, BufferSet buffers) throws IOException {
        EntryTable entries = buffers.entries();
        for (int entry = 0; entry < header.entries(); entry++) {
            int index = entries.region(entry);
            String region = regions.get(index).id();
            long offset = entries.offset(entry);
            if (guard.beginWrite(region, offset, entries.bytes(entry), entries.token(entry))) {
                try {
                    socket.receive(buffers.views(), index, offset, entries.bytes(entry));
                } finally {
                    guard.endWrite(region, offset);
                }
            } else {
                refuse(entry);
                discard(entries.bytes(entry), buffers);
            }
        }
        answer(buffers);
    }

    private void discard(long bytes, BufferSet buffers) throws IOException {
        for (long left = bytes; left > 0; ) {
            ByteBuffer scratch = buffers.scratch();
            scratch.limit((int) Math.min(left, scratch.capacity()));
            left -= scratch.limit();
            socket.readAll(scratch);
        }
    }

    private void refuse(int entry) {
        firstRefused = refused == 0 ? entry : firstRefused;
        refused++;
    }

    private void answer(BufferSet buffers) throws IOException {
        ByteBuffer answer = buffers.outgoing(Answer.BYTES);
        Answer.put(answer, sequence, firstRefused, refused);
        socket.writeAll(answer.flip());
    }

    /** The answer goes first, so the guard is asked for every entry before a byte is sent. */
    private void send(BatchHeader header, BufferSet buffers) throws IOException {
        int bitmapBytes = Answer.bitmapBytes(header.entries());
        ByteBuffer answer = buffers.outgoing(Answer.BYTES + bitmapBytes);
        ByteBuffer bitmap = buffers.incoming(bitmapBytes);
        var reading = new Reading(buffers.entries(), bitmap);
        try {
            reading.ask(header.entries());
            Answer.put(answer, sequence, firstRefused, refused);
            answer.put(bitmap).flip();
            Gather gather = buffers.gather().begin(socket, answer);
            for (int entry = 0; entry < header.entries(); entry++) {
                if (reading.admitted(entry)) {
                    EntryTable entries = buffers.entries();
                    gather.add(socket, entries.region(entry), entries.offset(entry), entries.bytes(entry));
                }
            }
            gather.send(socket);
        } finally {
            reading.end();
        }
    }

    /** Which entries of a batch the guard lets the peer read. */
    private final class Reading {

        private final EntryTable entries;
        private final ByteBuffer bitmap;
        private int asked;

        Reading(EntryTable entries, ByteBuffer bitmap) {
            this.entries = entries;
            this.bitmap = bitmap;
        }

        void ask(int count) {
            for (int at = 0; at < bitmap.limit(); at++) {
                bitmap.put(at, (byte) 0);
            }
            for (; asked < count; asked++) {
                String region = regions.get(entries.region(asked)).id();
                if (!guard.beginRead(region, entries.offset(asked), entries.bytes(asked), entries.token(asked))) {
                    Answer.setRefused(bitmap, asked);
                    refuse(asked);
                }
            }
        }

        boolean admitted(int entry) {
            return !Answer.isRefused(bitmap, entry);
        }

        void end() {
            for (int entry = 0; entry < asked; entry++) {
                if (admitted(entry)) {
                    guard.endRead(regions.get(entries.region(entry)).id(), entries.offset(entry));
                }
            }
        }
    }
}
