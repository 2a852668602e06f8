package dev.tandem.transfer.channel.tcp;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One socket in blocking mode. Used by one thread at a time, but {@link #close} and {@link #closeIfLate} by any.
 *
 * <p>A blocked call of a socket channel has no time-out of its own: the watch closes a socket whose time is up.
 */
final class BatchSocket implements Closeable {

    private static final Logger log = LoggerFactory.getLogger(BatchSocket.class);
    private static final long NO_LIMIT = 0;

    private final SocketChannel channel;
    private final Traffic traffic;
    private final AtomicLong lateAtNanos = new AtomicLong(NO_LIMIT);
    private long patienceNanos;
    private volatile boolean late;
    private volatile long movedAtNanos;

    BatchSocket(SocketChannel channel, Traffic traffic) {
        this.channel = channel;
        this.traffic = traffic;
    }

    SocketChannel channel() {
        return channel;
    }

    /** From now on the socket is closed when that time comes. */
    void closeAt(long nanos) {
        patienceNanos = 0;
        limit(nanos);
    }

    /** From now on the socket is closed when no byte moves for that long. */
    void closeAtStandstill(long nanos) {
        patienceNanos = nanos;
        limit(System.nanoTime() + nanos);
    }

    void neverClose() {
        patienceNanos = 0;
        lateAtNanos.set(NO_LIMIT);
    }

    private void limit(long nanos) {
        lateAtNanos.set(nanos == NO_LIMIT ? 1 : nanos);
    }

    /** Whether it was closed because its time was up. */
    boolean late() {
        return late;
    }

    /** Whether a byte has moved since. */
    boolean movedSince(long nanos) {
        return movedAtNanos - nanos > 0;
    }

    /** A limit that is changed at the same moment wins. */
    void closeIfLate(long nowNanos) {
        long limit = lateAtNanos.get();
        if (limit != NO_LIMIT && limit - nowNanos < 0 && lateAtNanos.compareAndSet(limit, NO_LIMIT)) {
            late = true;
            close();
        }
    }

    void writeAll(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            sent(channel.write(buffer));
        }
    }

    void readAll(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            received(channel.read(buffer));
        }
    }

    /**
     * Waits a short while for more.
     *
     * @param buffer on the heap
     * @return whether anything came
     */
    boolean readWithin(int millis, ByteBuffer buffer) throws IOException {
        Socket socket = channel.socket();
        socket.setSoTimeout(millis);
        try {
            int at = buffer.arrayOffset() + buffer.position();
            int count = socket.getInputStream().read(buffer.array(), at, buffer.remaining());
            received(count);
            buffer.position(buffer.position() + count);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    /** Receives into a piece of a region. */
    void receive(RegionViews views, int region, long offset, long bytes) throws IOException {
        for (long at = offset, end = offset + bytes; at < end; ) {
            ByteBuffer piece = views.piece(region, at, Math.min(end - at, Gather.CALL_BYTES));
            at += piece.remaining();
            readAll(piece);
        }
    }

    private void sent(long count) {
        traffic.sent().add(count);
        moved();
    }

    private void received(long count) throws IOException {
        if (count < 0) {
            throw new EOFException("the peer closed the connection");
        }
        traffic.received().add(count);
        moved();
    }

    private void moved() {
        long now = System.nanoTime();
        movedAtNanos = now;
        if (patienceNanos != 0) {
            limit(now + patienceNanos);
        }
    }

    /** Does not throw: what is to be said about this socket is said by who finds it closed. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            log.debug("tcp: closing a socket failed", e);
        }
    }
}
