package dev.tandem.transfer.channel.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.concurrent.RejectedExecutionException;

import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.MemoryGuard;

/**
 * A socket on which the peer sends batches. Watched while idle; a batch is served by a worker, which checks every entry
 * of the header before a byte lands and asks the guard before each entry.
 */
final class ServedSocket implements IdleSockets.Timed {

    private static final int SCRATCH_BYTES = 64 << 10;

    private final BatchSocket socket;
    private final TcpConnection connection;
    private final TcpEnvironment environment;
    private final MemoryGuard guard;
    private final long patienceNanos;
    private ByteBuffer entries = ByteBuffer.allocateDirect(BatchHeader.ENTRY_BYTES);
    private ByteBuffer scratch = ByteBuffer.allocateDirect(0);
    private int refused;
    private int firstRefused;

    ServedSocket(BatchSocket socket, TcpConnection connection, TcpEnvironment environment, MemoryGuard guard) {
        this.socket = socket;
        this.connection = connection;
        this.environment = environment;
        this.guard = guard;
        this.patienceNanos = environment.settings().progressTimeout().toNanos();
    }

    @Override
    public void look(long nowNanos) throws IOException {
        socket.closeIfLate(nowNanos);
    }

    /** Waits for the next batch, without a thread. */
    void watch() {
        environment.idle().watch(socket.channel(), SelectionKey.OP_READ, this::handToWorker);
    }

    private void handToWorker() {
        try {
            environment.workers().execute(this::serve);
        } catch (RejectedExecutionException e) {
            connection.die(new ChannelException(Reason.CLOSED, connection + ": the channel is closed", e));
        }
    }

    private void serve() {
        if (!connection.beginServing()) {
            return;
        }
        boolean goesOn = false;
        try {
            socket.channel().configureBlocking(true);
            serveOne();
            goesOn = true;
        } catch (EOFException e) {
            connection.die(new ChannelException(Reason.BROKEN, connection + ": the peer closed the connection", e));
        } catch (IOException e) {
            Reason reason = socket.late() ? Reason.TIMED_OUT : Reason.BROKEN;
            connection.die(new ChannelException(reason, "%s: %s".formatted(connection, e), e));
        } catch (RuntimeException e) {
            connection.die(new ChannelException(Reason.BROKEN, "%s: serving failed: %s".formatted(connection, e), e));
        } finally {
            socket.noLimit();
            connection.endServing();
        }
        if (goesOn) {
            watch();
        }
    }

    private void progress() {
        socket.closeAt(System.nanoTime() + patienceNanos);
    }

    private void serveOne() throws IOException {
        progress();
        ByteBuffer header = socket.header(BatchHeader.BYTES);
        socket.readAll(header);
        int kind = BatchHeader.kind(header);
        int count = BatchHeader.entries(header);
        long sequence = BatchHeader.sequence(header);
        if (kind < 0 || count < 0 || count > BatchHeader.MAX_ENTRIES) {
            throw invalid(sequence, "a batch header of kind %d with %d entries".formatted(kind, count));
        }
        readEntries(count);
        checkEntries(count, sequence);
        refused = 0;
        firstRefused = -1;
        switch (BatchHeader.Kind.values()[kind]) {
            case WRITE -> serveWrite(count, sequence);
            case READ -> serveRead(count, sequence);
            case PROBE -> answer(BatchHeader.Status.DONE, sequence);
        }
    }

    private void readEntries(int count) throws IOException {
        int bytes = count * BatchHeader.ENTRY_BYTES;
        if (entries.capacity() < bytes) {
            entries = ByteBuffer.allocateDirect(bytes);
        }
        entries.clear().limit(bytes);
        progress();
        socket.readAll(entries);
    }

    private void checkEntries(int count, long sequence) throws IOException {
        for (int entry = 0; entry < count; entry++) {
            int index = region(entry);
            long regionBytes = index >= 0 && index < environment.regions().size()
                    ? environment.regions().get(index).bytes()
                    : -1;
            if (bytes(entry) < 1 || offset(entry) < 0 || offset(entry) > regionBytes - bytes(entry)) {
                throw invalid(
                        sequence,
                        "entry %d: %d bytes at %d of region %d, which has %d"
                                .formatted(entry, bytes(entry), offset(entry), index, regionBytes));
            }
        }
    }

    private void serveWrite(int count, long sequence) throws IOException {
        for (int entry = 0; entry < count; entry++) {
            MemoryRegion region = environment.regions().get(region(entry));
            if (guard.beginWrite(region.id(), offset(entry), bytes(entry), token(entry))) {
                try {
                    progress();
                    socket.receive(region, offset(entry), bytes(entry), this::progress);
                } finally {
                    guard.endWrite(region.id(), offset(entry));
                }
            } else {
                refuse(entry);
                discard(bytes(entry));
            }
        }
        answer(refused == 0 ? BatchHeader.Status.DONE : BatchHeader.Status.REFUSED, sequence);
    }

    private void refuse(int entry) {
        firstRefused = refused == 0 ? entry : firstRefused;
        refused++;
    }

    private void discard(long count) throws IOException {
        if (scratch.capacity() == 0) {
            scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);
        }
        for (long left = count; left > 0; left -= scratch.limit()) {
            scratch.clear().limit((int) Math.min(left, SCRATCH_BYTES));
            socket.readAll(scratch);
            progress();
        }
    }

    /** All entries are admitted, or none is sent. */
    private void serveRead(int count, long sequence) throws IOException {
        int admitted = 0;
        try {
            while (admitted < count && refused == 0) {
                MemoryRegion region = environment.regions().get(region(admitted));
                if (guard.beginRead(region.id(), offset(admitted), bytes(admitted), token(admitted))) {
                    admitted++;
                } else {
                    refuse(admitted);
                }
            }
            answer(refused == 0 ? BatchHeader.Status.DONE : BatchHeader.Status.REFUSED, sequence);
            for (int entry = 0; refused == 0 && entry < count; entry++) {
                progress();
                socket.send(environment.regions().get(region(entry)), offset(entry), bytes(entry));
            }
        } finally {
            for (int entry = 0; entry < admitted; entry++) {
                guard.endRead(environment.regions().get(region(entry)).id(), offset(entry));
            }
        }
    }

    private void answer(BatchHeader.Status status, long sequence) throws IOException {
        progress();
        ByteBuffer answer = socket.header(BatchHeader.ANSWER_BYTES);
        BatchHeader.putAnswer(answer, status, sequence, firstRefused, refused);
        socket.writeAll(answer);
    }

    /** Tells the peer, then hangs up. */
    private IOException invalid(long sequence, String what) throws IOException {
        answer(BatchHeader.Status.INVALID, sequence);
        return new IOException("invalid: " + what);
    }

    private int region(int entry) {
        return entries.getInt(entry * BatchHeader.ENTRY_BYTES);
    }

    private long offset(int entry) {
        return entries.getLong(entry * BatchHeader.ENTRY_BYTES + 8);
    }

    private long bytes(int entry) {
        return entries.getLong(entry * BatchHeader.ENTRY_BYTES + 16);
    }

    private long token(int entry) {
        return entries.getLong(entry * BatchHeader.ENTRY_BYTES + 24);
    }
}
