package dev.tandem.transfer.channel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.tandem.transfer.MemoryRegion;

/** One process's end of a fabric, as {@link ChannelContract} uses it: a channel, and memory of the kind it moves. */
public abstract class FabricNode implements AutoCloseable {

    public abstract TransferChannel channel();

    /** A region that is not registered yet; it lives until {@link #close}. */
    protected abstract MemoryRegion allocate(String id, long bytes);

    /** A region that is registered. */
    public final MemoryRegion share(String id, long bytes) {
        MemoryRegion region = allocate(id, bytes);
        channel().register(region);
        return region;
    }

    /** Host memory is written in place; a node with device memory copies. */
    public void put(MemoryRegion region, long offset, byte[] bytes) {
        MemorySegment.copy(bytes, 0, region.segment(), ValueLayout.JAVA_BYTE, offset, bytes.length);
    }

    /** As {@link #put}, the other way. */
    public byte[] get(MemoryRegion region, long offset, int bytes) {
        return region.segment().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    /** All of a region. */
    public final byte[] get(MemoryRegion region) {
        return get(region, 0, Math.toIntExact(region.bytes()));
    }

    /** Closes the channel, then the memory. */
    @Override
    public abstract void close();
}
