package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

/**
 * One generation's sockets to one peer: some that this side drives, one batch at a time each, and some that it serves.
 * They live and die together.
 */
final class TcpConnection implements Connection {

    private static final Logger log = LoggerFactory.getLogger(TcpConnection.class);

    private final String name;
    private final TcpEnvironment environment;
    private final List<SocketChannel> sockets = new ArrayList<>();
    private final List<IdleSockets.Timed> limits = new ArrayList<>();
    private final BlockingQueue<DrivingSocket> free;
    private final CompletableFuture<ChannelException> closed = new CompletableFuture<>();
    private int serving;

    TcpConnection(
            String name,
            TcpEnvironment environment,
            List<SocketChannel> driven,
            List<SocketChannel> served,
            MemoryGuard guard) {
        this.name = name;
        this.environment = environment;
        this.sockets.addAll(driven);
        this.sockets.addAll(served);
        this.free = new ArrayBlockingQueue<>(driven.size());
        for (SocketChannel socket : driven) {
            var driving = new DrivingSocket(new BatchSocket(socket));
            limits.add(driving);
            free.add(driving);
        }
        for (SocketChannel socket : served) {
            var serving = new ServedSocket(new BatchSocket(socket), this, environment, guard);
            limits.add(serving);
            serving.watch();
        }
        limits.forEach(environment.idle()::add);
    }

    @Override
    public List<RemoteRegion> importMemory(byte[] handles) {
        return LocalRegions.parse(handles);
    }

    @Override
    public void write(TransferBatch batch, Deadline deadline) {
        drive(BatchHeader.Kind.WRITE, batch, deadline);
    }

    @Override
    public void read(TransferBatch batch, Deadline deadline) {
        drive(BatchHeader.Kind.READ, batch, deadline);
    }

    @Override
    public void probe(Deadline deadline) {
        drive(BatchHeader.Kind.PROBE, new TransferBatch(), deadline);
    }

    private void drive(BatchHeader.Kind kind, TransferBatch batch, Deadline deadline) {
        if (batch.size() > BatchHeader.MAX_ENTRIES) {
            throw new ChannelException(
                    Reason.REFUSED,
                    "%d entries in a batch, at most %d".formatted(batch.size(), BatchHeader.MAX_ENTRIES));
        }
        DrivingSocket socket = acquire(deadline);
        try {
            socket.drive(kind, batch, deadline);
        } catch (IOException e) {
            var cause = socket.late()
                    ? new ChannelException(Reason.TIMED_OUT, "%s: no answer to a batch in time".formatted(name), e)
                    : new ChannelException(Reason.BROKEN, "%s: %s".formatted(name, e), e);
            die(cause);
            throw cause;
        } finally {
            free.add(socket);
        }
    }

    private DrivingSocket acquire(Deadline deadline) {
        requireOpen();
        DrivingSocket socket;
        try {
            socket = free.poll(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChannelException(Reason.REFUSED, "%s: interrupted before anything was sent".formatted(name), e);
        }
        if (socket == null) {
            var cause = new ChannelException(Reason.TIMED_OUT, "%s: no socket was free in time".formatted(name));
            die(cause);
            throw cause;
        }
        return socket;
    }

    private void requireOpen() {
        if (closed.isDone()) {
            ChannelException cause = closed.join();
            throw new ChannelException(cause.reason(), cause.message(), cause);
        }
    }

    /** A thread begins to serve a batch. @return false when the connection is over */
    synchronized boolean beginServing() {
        if (closed.isDone()) {
            return false;
        }
        serving++;
        return true;
    }

    synchronized void endServing() {
        serving--;
        notifyAll();
    }

    /** Ends the connection; only the first cause counts. */
    void die(ChannelException cause) {
        boolean first;
        synchronized (this) {
            first = !closed.isDone();
            if (first) {
                sockets.forEach(TcpConnection::closeQuietly);
            }
        }
        if (first) {
            limits.forEach(environment.idle()::remove);
            environment.forget(this);
            closed.complete(cause);
        }
    }

    static void closeQuietly(SocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            log.debug("tcp: closing a socket failed", e);
        }
    }

    @Override
    public CompletableFuture<ChannelException> closed() {
        return closed;
    }

    @Override
    public boolean fence(Deadline deadline) {
        close();
        synchronized (this) {
            while (serving > 0) {
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline.remainingNanos());
                if (millis == 0) {
                    return false;
                }
                try {
                    wait(millis);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            return true;
        }
    }

    @Override
    public void close() {
        die(new ChannelException(Reason.CLOSED, "%s: closed by this side".formatted(name)));
    }

    @Override
    public String toString() {
        return name;
    }
}
