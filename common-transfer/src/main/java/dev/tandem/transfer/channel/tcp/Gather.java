package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Collects pieces of regions and sends them with few calls: small ones together, large ones in parts, as calls of more
 * than half a mebibyte are slower on loopback.
 */
final class Gather {

    static final int CALL_BYTES = 512 << 10;

    private static final int SLOTS = 32;

    private final LocalRegions regions;
    private final ByteBuffer[] pieces = new ByteBuffer[SLOTS];
    /** One for each slot, as two pieces of one region need two buffers. */
    private final RegionViews[] views = new RegionViews[SLOTS];

    private int count;
    private long payloadBytes;

    Gather(LocalRegions regions) {
        this.regions = regions;
    }

    /** Begins with these bytes; what an earlier failure left is forgotten. */
    Gather begin(ByteBuffer first) {
        pieces[0] = first;
        count = 1;
        payloadBytes = 0;
        return this;
    }

    /** Adds a piece of a region; sends whenever there is enough for a call. */
    void add(BatchSocket socket, int region, long offset, long length) throws IOException {
        for (long at = offset, end = offset + length; at < end; ) {
            if (count == SLOTS || payloadBytes >= CALL_BYTES) {
                send(socket);
            }
            ByteBuffer piece = views(count).piece(region, at, Math.min(end - at, CALL_BYTES - payloadBytes));
            pieces[count++] = piece;
            payloadBytes += piece.remaining();
            at += piece.remaining();
        }
    }

    /** Sends what is left. */
    void send(BatchSocket socket) throws IOException {
        for (int sent = 0; sent < count; ) {
            if (pieces[sent].hasRemaining()) {
                socket.write(pieces, sent, count - sent);
            } else {
                sent++;
            }
        }
        count = 0;
        payloadBytes = 0;
    }

    private RegionViews views(int slot) {
        RegionViews own = views[slot];
        if (own == null) {
            own = new RegionViews(regions);
            views[slot] = own;
        }
        return own;
    }
}
