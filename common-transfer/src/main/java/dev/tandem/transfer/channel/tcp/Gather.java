package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Sends pieces of regions with few calls: large ones straight from their region, in parts, as calls of more than half a
 * mebibyte are slower on loopback; small ones together, as a copy costs less than a call. (A gathering write would do
 * without the copy, but allocates for each buffer over memory that an arena may close.)
 */
final class Gather {

    static final int CALL_BYTES = 512 << 10;

    private static final int SMALL_BYTES = 32 << 10;
    private static final int ROOM_BYTES = 128 << 10;

    private final RegionViews views;
    private ByteBuffer room = ByteBuffer.allocateDirect(0);

    Gather(RegionViews views) {
        this.views = views;
    }

    /** Begins with these bytes; what an earlier failure left is forgotten. */
    Gather begin(BatchSocket socket, ByteBuffer first) throws IOException {
        if (room.capacity() == 0) {
            room = ByteBuffer.allocateDirect(ROOM_BYTES);
        }
        room.clear();
        add(socket, first);
        return this;
    }

    /** Adds a piece of a region; sends whenever there is enough for a call. */
    void add(BatchSocket socket, int region, long offset, long bytes) throws IOException {
        for (long at = offset, end = offset + bytes; at < end; ) {
            ByteBuffer piece = views.piece(region, at, Math.min(end - at, CALL_BYTES));
            at += piece.remaining();
            add(socket, piece);
        }
    }

    private void add(BatchSocket socket, ByteBuffer piece) throws IOException {
        if (piece.remaining() > room.remaining()) {
            send(socket);
        }
        if (piece.remaining() <= SMALL_BYTES) {
            room.put(piece);
        } else {
            send(socket);
            socket.writeAll(piece);
        }
    }

    /** Sends what is left. */
    void send(BatchSocket socket) throws IOException {
        socket.writeAll(room.flip());
        room.clear();
    }
}
