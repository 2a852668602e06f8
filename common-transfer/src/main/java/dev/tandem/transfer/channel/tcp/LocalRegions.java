package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.RemoteRegion;

/** This side's registered regions, in order of registration. Thread-safe. */
final class LocalRegions {

    private static final int MAGIC = 0x54444D48;
    private static final int MOST_REGIONS = 256;
    private static final int LONGEST_ID = 200;

    private final List<MemoryRegion> regions = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> indexes = new ConcurrentHashMap<>();

    /** @throws ChannelException INVALID when the region is one too many, on a device, or there already */
    synchronized void add(MemoryRegion region) {
        int idBytes = region.id().getBytes(StandardCharsets.UTF_8).length;
        if (region.kind() != MemoryKind.HOST) {
            throw refused(region, "is device memory, which the host cannot send");
        }
        if (idBytes < 1 || idBytes > LONGEST_ID) {
            throw refused(region, "has an id of %d bytes, 1 to %d are allowed".formatted(idBytes, LONGEST_ID));
        }
        if (regions.size() == MOST_REGIONS) {
            throw refused(region, "would be one more than %d".formatted(MOST_REGIONS));
        }
        if (indexes.containsKey(region.id())) {
            throw refused(region, "is registered already");
        }
        regions.add(region);
        indexes.put(region.id(), regions.size() - 1);
    }

    private static ChannelException refused(MemoryRegion region, String why) {
        return new ChannelException(Reason.INVALID, "tcp: region %s %s".formatted(region.id(), why));
    }

    int size() {
        return regions.size();
    }

    MemoryRegion get(int index) {
        return regions.get(index);
    }

    /** @throws IllegalArgumentException when the region is not registered */
    void requireRegistered(MemoryRegion region) {
        Integer index = indexes.get(region.id());
        if (index == null || !same(regions.get(index), region)) {
            throw new IllegalArgumentException("tcp: region %s is not registered".formatted(region.id()));
        }
    }

    /** Segments are equal when they begin at the same address, whatever their size. */
    private static boolean same(MemoryRegion one, MemoryRegion other) {
        return one.bytes() == other.bytes()
                && one.segment().address() == other.segment().address();
    }

    /** Of a registered region. */
    int indexOf(MemoryRegion region) {
        return Objects.requireNonNull(indexes.get(region.id()));
    }

    /** Ids and sizes, for the other side. */
    byte[] export() {
        List<MemoryRegion> all = List.copyOf(regions);
        ByteBuffer buffer = ByteBuffer.allocate(
                        2 * Integer.BYTES + all.size() * (Integer.BYTES + LONGEST_ID + Long.BYTES))
                .putInt(MAGIC)
                .putInt(all.size());
        for (MemoryRegion region : all) {
            byte[] id = region.id().getBytes(StandardCharsets.UTF_8);
            buffer.putInt(id.length).put(id).putLong(region.bytes());
        }
        var exported = new byte[buffer.flip().remaining()];
        buffer.get(exported);
        return exported;
    }

    /** @throws ChannelException INVALID when these bytes are no handles of this fabric */
    static List<RemoteRegion> parse(byte[] handles) {
        return ForeignBytes.parse("memory handles", handles, MAGIC, foreign -> {
            int count = foreign.number("regions", 0, MOST_REGIONS);
            var parsed = new ArrayList<RemoteRegion>();
            for (int index = 0; index < count; index++) {
                parsed.add(new RemoteRegion(foreign.text("id", LONGEST_ID), index, 0, foreign.size("region of bytes")));
            }
            return List.copyOf(parsed);
        });
    }
}
