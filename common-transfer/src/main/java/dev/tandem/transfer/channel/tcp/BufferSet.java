package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;

/** Everything a thread needs to move batches without allocating; lent by a {@link BufferPool}. */
final class BufferSet {

    private static final int SCRATCH_BYTES = 64 << 10;

    private final Gather gather;
    private final RegionViews views;
    private final EntryTable entries = new EntryTable();
    private ByteBuffer outgoing = ByteBuffer.allocateDirect(4096);
    private ByteBuffer incoming = ByteBuffer.allocateDirect(256);
    private ByteBuffer scratch = ByteBuffer.allocateDirect(0);

    BufferSet(LocalRegions regions) {
        this.views = new RegionViews(regions);
        this.gather = new Gather(views);
    }

    Gather gather() {
        return gather;
    }

    /** Where payloads land. */
    RegionViews views() {
        return views;
    }

    EntryTable entries() {
        return entries;
    }

    /** Room for what is sent beside payloads. */
    ByteBuffer outgoing(int bytes) {
        outgoing = atLeast(outgoing, bytes);
        return outgoing.clear().limit(bytes);
    }

    /** Room for an answer. */
    ByteBuffer incoming(int bytes) {
        incoming = atLeast(incoming, bytes);
        return incoming.clear().limit(bytes);
    }

    /** Where refused payloads go. */
    ByteBuffer scratch() {
        scratch = atLeast(scratch, SCRATCH_BYTES);
        return scratch.clear();
    }

    private static ByteBuffer atLeast(ByteBuffer buffer, int bytes) {
        return buffer.capacity() >= bytes ? buffer : ByteBuffer.allocateDirect(Math.max(bytes, 2 * buffer.capacity()));
    }
}
