package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

/**
 * One generation's sockets to one peer: some that this side drives, one batch at a time each, and some that it serves.
 * They live and die together. An interrupted transfer ends the connection too.
 */
final class TcpConnection implements Connection, IdleSockets.Ticked {

    private static final TransferBatch NOTHING = new TransferBatch();
    private static final long PARK_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String name;
    private final TcpNode node;
    private final int batchEntries;
    private final Lifeline lifeline = new Lifeline();
    private final List<BatchSocket> sockets = new ArrayList<>();
    private final List<ServedSocket> served = new ArrayList<>();
    private final FreeSockets free = new FreeSockets();

    private TcpConnection(Rendezvous met, TcpNode node) {
        this.name = met.name();
        this.node = node;
        this.batchEntries = met.batchEntries();
        for (SocketChannel channel : met.driven()) {
            free.give(new DrivingSocket(added(channel), node.regions(), node.idle()));
        }
        for (SocketChannel channel : met.served()) {
            served.add(new ServedSocket(this, node, added(channel), met.guard()));
        }
    }

    /** Opens on sockets that are in blocking mode, and owns them from then on. */
    static TcpConnection open(Rendezvous met, TcpNode node) {
        var connection = new TcpConnection(met, node);
        node.idle().add(connection);
        node.connections().add(connection);
        connection.served.forEach(ServedSocket::rest);
        return connection;
    }

    private BatchSocket added(SocketChannel channel) {
        var socket = new BatchSocket(channel, node.traffic());
        sockets.add(socket);
        return socket;
    }

    @Override
    public List<RemoteRegion> importMemory(byte[] handles) {
        return LocalRegions.parse(handles);
    }

    /** {@inheritDoc} One socket carries one batch at a time; who finds none free waits in line. */
    @Override
    public void write(TransferBatch batch, Deadline deadline) {
        transfer(BatchHeader.Kind.WRITE, batch, deadline);
    }

    @Override
    public void read(TransferBatch batch, Deadline deadline) {
        transfer(BatchHeader.Kind.READ, batch, deadline);
    }

    private void transfer(BatchHeader.Kind kind, TransferBatch batch, Deadline deadline) {
        if (batch.size() > batchEntries) {
            throw new ChannelException(
                    Reason.REFUSED,
                    "%s: a batch of %d entries, the peer takes %d".formatted(name, batch.size(), batchEntries));
        }
        for (int entry = 0; entry < batch.size(); entry++) {
            node.regions().requireRegistered(batch.local(entry));
        }
        if (batch.size() > 0) {
            drive(kind, batch, deadline);
        }
    }

    /** {@inheritDoc} Where all sockets are busy, bytes that move on one of them are the proof. */
    @Override
    public void probe(Deadline deadline) {
        drive(BatchHeader.Kind.PROBE, NOTHING, deadline);
    }

    private void drive(BatchHeader.Kind kind, TransferBatch batch, Deadline deadline) {
        if (!lifeline.enter()) {
            throw dead();
        }
        Optional<ChannelException> failure;
        try {
            failure = driveInTurn(kind, batch, deadline);
        } finally {
            lifeline.leave();
        }
        if (failure.isPresent()) {
            throw failure.get().reason() == Reason.REFUSED ? failure.get() : ended(failure.get());
        }
    }

    private Optional<ChannelException> driveInTurn(BatchHeader.Kind kind, TransferBatch batch, Deadline deadline) {
        long began = System.nanoTime();
        try {
            Optional<DrivingSocket> socket = free.take(deadline);
            if (socket.isEmpty()) {
                boolean proven = kind == BatchHeader.Kind.PROBE && movedSince(began);
                return proven ? Optional.empty() : Optional.of(timedOut("no socket was free in time"));
            }
            try {
                return driveOn(socket.get(), kind, batch, deadline);
            } finally {
                free.give(socket.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(new ChannelException(
                    Reason.REFUSED, "%s: interrupted before anything was sent".formatted(name), e));
        }
    }

    private Optional<ChannelException> driveOn(
            DrivingSocket socket, BatchHeader.Kind kind, TransferBatch batch, Deadline deadline)
            throws InterruptedException {
        BufferSet buffers = node.buffers().take();
        try {
            if (!socket.unpark(deadline)) {
                return Optional.of(timedOut("the watching thread did not let go of a socket"));
            }
            socket.drive(kind, batch, buffers, deadline);
            return Optional.empty();
        } catch (ChannelException e) {
            return Optional.of(e);
        } catch (IOException | RuntimeException | Error e) {
            return Optional.of(socket.socket().late() ? timedOut("no answer to a batch") : failure(Reason.BROKEN, e));
        } finally {
            node.buffers().give(buffers);
        }
    }

    private boolean movedSince(long nanos) {
        return sockets.stream().anyMatch(socket -> socket.movedSince(nanos));
    }

    private ChannelException timedOut(String what) {
        return new ChannelException(Reason.TIMED_OUT, "%s: %s".formatted(name, what));
    }

    ChannelException failure(Reason reason, Throwable cause) {
        boolean speaksForItself = cause instanceof IOException && cause.getMessage() != null;
        String what = speaksForItself ? cause.getMessage() : cause.toString();
        return new ChannelException(reason, "%s: %s".formatted(name, what), cause);
    }

    Lifeline lifeline() {
        return lifeline;
    }

    /** Ends the connection. @return what to throw: this failure, unless the connection had ended before */
    private ChannelException ended(ChannelException failure) {
        return end(failure) ? failure : dead();
    }

    private ChannelException dead() {
        ChannelException cause = lifeline.cause().orElseThrow();
        return new ChannelException(cause.reason(), cause.message(), cause);
    }

    /** Ends the connection for a reason that the watching thread has found; it must not run what others attached. */
    void endSoon(Reason reason, String what) {
        var cause = new ChannelException(reason, "%s: %s".formatted(name, what));
        Thread.ofVirtual().name("tcp-end").start(() -> end(cause));
    }

    /** Ends the connection. @return whether this is the cause that counts, the first */
    boolean end(ChannelException cause) {
        if (!lifeline.end(cause)) {
            return false;
        }
        sockets.forEach(BatchSocket::close);
        node.idle().remove(this);
        node.idle().wakeUp();
        node.connections().remove(this);
        lifeline.publish();
        return true;
    }

    @Override
    public void tick(long nowNanos) {
        for (BatchSocket socket : sockets) {
            socket.closeIfLate(nowNanos);
        }
        free.show(socket -> socket.parkIfUnusedSince(nowNanos - PARK_AFTER_NANOS, this::drivenEnded));
    }

    private void drivenEnded() {
        endSoon(Reason.BROKEN, "the peer closed the connection, or spoke out of turn");
    }

    @Override
    public CompletableFuture<ChannelException> closed() {
        return lifeline.published();
    }

    @Override
    public boolean fence(Deadline deadline) {
        close();
        return lifeline.awaitEmpty(deadline);
    }

    @Override
    public void close() {
        end(new ChannelException(Reason.CLOSED, "%s: closed by this side".formatted(name)));
    }

    @Override
    public String toString() {
        return name;
    }
}
