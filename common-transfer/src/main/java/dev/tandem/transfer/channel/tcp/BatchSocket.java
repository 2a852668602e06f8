package dev.tandem.transfer.channel.tcp;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;

import dev.tandem.transfer.MemoryRegion;

/**
 * One socket in blocking mode, and the buffers to move whole pieces of regions through it without a copy and, once warm,
 * without an allocation. Used by one thread at a time, but {@link #close} and {@link #closeIfLate} by any.
 *
 * <p>A blocked call of a socket channel has no time-out of its own: the watch closes a socket whose time is up.
 */
final class BatchSocket implements Closeable {

    /** One call moves at most this much: larger calls are slower on loopback. */
    private static final int PIECE = 512 << 10;

    private static final long WINDOW = 1L << 30;

    private final SocketChannel channel;
    private final Map<MemoryRegion, ByteBuffer[]> windows = new HashMap<>();
    private ByteBuffer header = ByteBuffer.allocateDirect(4096);
    private volatile long lateAtNanos;
    private volatile boolean late;

    BatchSocket(SocketChannel channel) {
        this.channel = channel;
    }

    SocketChannel channel() {
        return channel;
    }

    /** Room for a header of this size, empty. */
    ByteBuffer header(int bytes) {
        if (header.capacity() < bytes) {
            header = ByteBuffer.allocateDirect(Math.max(bytes, 2 * header.capacity()));
        }
        return header.clear().limit(bytes);
    }

    /** From now on the socket is closed if the time comes before the next call. */
    void closeAt(long nanos) {
        lateAtNanos = nanos == 0 ? 1 : nanos;
    }

    void noLimit() {
        lateAtNanos = 0;
    }

    /** Whether it was closed because its time was up. */
    boolean late() {
        return late;
    }

    void closeIfLate(long nowNanos) throws IOException {
        long limit = lateAtNanos;
        if (limit != 0 && limit - nowNanos < 0) {
            late = true;
            close();
        }
    }

    void writeAll(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    void readAll(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("the peer closed the connection");
            }
        }
    }

    /** Sends a piece of a region. */
    void send(MemoryRegion region, long offset, long bytes) throws IOException {
        for (long at = offset, end = offset + bytes; at < end; ) {
            ByteBuffer piece = piece(region, at, end);
            at += piece.remaining();
            writeAll(piece);
        }
    }

    /** Receives into a piece of a region; {@code progress} runs after each part. */
    void receive(MemoryRegion region, long offset, long bytes, Runnable progress) throws IOException {
        for (long at = offset, end = offset + bytes; at < end; ) {
            ByteBuffer piece = piece(region, at, end);
            at += piece.remaining();
            readAll(piece);
            progress.run();
        }
    }

    private ByteBuffer piece(MemoryRegion region, long at, long end) {
        ByteBuffer[] views = windows.get(region);
        if (views == null) {
            views = views(region);
            windows.put(region, views);
        }
        ByteBuffer view = views[(int) (at / WINDOW)];
        int from = (int) (at % WINDOW);
        int to = (int) Math.min(Math.min(from + (long) PIECE, view.capacity()), from + (end - at));
        return view.limit(to).position(from);
    }

    private static ByteBuffer[] views(MemoryRegion region) {
        var views = new ByteBuffer[(int) Math.ceilDiv(region.bytes(), WINDOW)];
        for (int i = 0; i < views.length; i++) {
            long from = i * WINDOW;
            views[i] = region.segment()
                    .asSlice(from, Math.min(WINDOW, region.bytes() - from))
                    .asByteBuffer();
        }
        return views;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
