package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.MemoryGuard;

/** A socket on which the peer sends batches. Watched while idle; a worker serves what comes, as long as more comes. */
final class ServedSocket {

    /** A worker stays with a socket this long: going through the watching thread costs a batch more time than this. */
    private static final int LINGER_MILLIS = 1;

    private final TcpConnection connection;
    private final TcpNode node;
    private final BatchSocket socket;
    private final BatchServer server;
    private final ByteBuffer beginning = ByteBuffer.allocate(BatchHeader.BYTES);
    private final long patienceNanos;

    ServedSocket(TcpConnection connection, TcpNode node, BatchSocket socket, MemoryGuard guard) {
        this.connection = connection;
        this.node = node;
        this.socket = socket;
        this.server = new BatchServer(
                socket, node.regions(), guard, node.settings().limits().batchEntries());
        this.patienceNanos = node.settings().patience().progress().toNanos();
    }

    /** Waits for the next batch, without a thread. */
    void rest() {
        node.idle().watch(socket.channel(), SelectionKey.OP_READ, this::awake);
    }

    /** Runs on the watching thread; the socket does not block yet. */
    private void awake() {
        try {
            int count = socket.channel().read(beginning);
            if (count < 0) {
                connection.endSoon(Reason.BROKEN, "the peer closed the connection");
            } else if (count == 0) {
                rest();
            } else {
                node.workers().run(this::serve);
            }
        } catch (IOException e) {
            connection.endSoon(Reason.BROKEN, e.toString());
        } catch (RejectedExecutionException e) {
            connection.endSoon(Reason.CLOSED, "the channel is closed");
        }
    }

    private void serve() {
        if (!connection.lifeline().enter()) {
            return;
        }
        Optional<ChannelException> failure;
        try {
            failure = serveWhileBusy();
        } finally {
            connection.lifeline().leave();
        }
        failure.ifPresentOrElse(connection::end, this::rest);
    }

    private Optional<ChannelException> serveWhileBusy() {
        BufferSet buffers = node.buffers().take();
        try {
            socket.channel().configureBlocking(true);
            do {
                socket.closeAtStandstill(patienceNanos);
                server.serve(beginning, buffers);
                socket.neverClose();
                beginning.clear();
            } while (!node.workers().overrun() && socket.readWithin(LINGER_MILLIS, beginning));
            return Optional.empty();
        } catch (InvalidBatchException e) {
            return Optional.of(connection.failure(Reason.INVALID, e));
        } catch (IOException | RuntimeException | Error e) {
            return Optional.of(connection.failure(socket.late() ? Reason.TIMED_OUT : Reason.BROKEN, e));
        } finally {
            node.buffers().give(buffers);
        }
    }
}
