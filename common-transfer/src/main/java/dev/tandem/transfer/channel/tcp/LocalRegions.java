package dev.tandem.transfer.channel.tcp;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.RemoteRegion;

/** This side's registered regions, in order of registration. Thread-safe. */
final class LocalRegions {

    private static final int MAX_REGIONS = 256;

    private final List<MemoryRegion> regions = new CopyOnWriteArrayList<>();

    void add(MemoryRegion region) {
        if (region.kind() != MemoryKind.HOST) {
            throw new ChannelException(
                    Reason.INVALID,
                    "tcp: region %s is device memory, which the host cannot send".formatted(region.id()));
        }
        regions.add(region);
    }

    int size() {
        return regions.size();
    }

    MemoryRegion get(int index) {
        return regions.get(index);
    }

    /** Ids and sizes, for the other side. */
    byte[] export() {
        int length = Integer.BYTES;
        for (MemoryRegion region : regions) {
            length += Short.BYTES + region.id().getBytes(StandardCharsets.UTF_8).length + Long.BYTES;
        }
        ByteBuffer buffer = ByteBuffer.allocate(length).putInt(regions.size());
        for (MemoryRegion region : regions) {
            byte[] id = region.id().getBytes(StandardCharsets.UTF_8);
            buffer.putShort((short) id.length).put(id).putLong(region.bytes());
        }
        return buffer.array();
    }

    /** @throws ChannelException INVALID when these bytes are no handles of this fabric */
    static List<RemoteRegion> parse(byte[] handles) {
        ByteBuffer buffer = ByteBuffer.wrap(handles);
        try {
            int count = buffer.getInt();
            if (count < 0 || count > MAX_REGIONS) {
                throw new ChannelException(Reason.INVALID, "tcp memory handles: %d regions".formatted(count));
            }
            var parsed = new ArrayList<RemoteRegion>();
            for (int index = 0; index < count; index++) {
                parsed.add(parseOne(buffer, index));
            }
            return List.copyOf(parsed);
        } catch (BufferUnderflowException e) {
            throw new ChannelException(
                    Reason.INVALID, "tcp memory handles: %d bytes are too few".formatted(handles.length), e);
        }
    }

    private static RemoteRegion parseOne(ByteBuffer buffer, int index) {
        int length = buffer.getShort();
        if (length < 1 || length > buffer.remaining()) {
            throw new ChannelException(Reason.INVALID, "tcp memory handles: an id of %d bytes".formatted(length));
        }
        var id = new byte[length];
        buffer.get(id);
        long bytes = buffer.getLong();
        if (bytes < 1) {
            throw new ChannelException(Reason.INVALID, "tcp memory handles: a region of %d bytes".formatted(bytes));
        }
        return new RemoteRegion(new String(id, StandardCharsets.UTF_8), index, 0, bytes);
    }
}
