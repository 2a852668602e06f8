package dev.tandem.transfer.channel;

import java.util.Arrays;

import dev.tandem.transfer.MemoryRegion;

/**
 * Entries that travel together: each a piece of a local region and a piece of a remote one, of equal size. Grows to
 * the largest batch it has held and is then reused, so that a transfer allocates nothing per chunk.
 *
 * <p>Not thread-safe; the caller must not change it while a transfer uses it.
 */
public final class TransferBatch {

    private MemoryRegion[] local = new MemoryRegion[16];
    private RemoteRegion[] remote = new RemoteRegion[16];
    private long[] localOffset = new long[16];
    private long[] remoteOffset = new long[16];
    private long[] bytes = new long[16];
    private long[] token = new long[16];
    private int size;
    private long totalBytes;

    public void clear() {
        Arrays.fill(local, 0, size, null);
        Arrays.fill(remote, 0, size, null);
        size = 0;
        totalBytes = 0;
    }

    /**
     * Adds an entry.
     *
     * @param entryBytes at least 1
     * @param entryToken the write token that came with the allocation; 0 where there is none
     * @throws IndexOutOfBoundsException when a piece does not lie in its region
     */
    public void add(
            MemoryRegion localRegion,
            long localAt,
            RemoteRegion remoteRegion,
            long remoteAt,
            long entryBytes,
            long entryToken) {
        requireInside("local", localRegion.id(), localAt, entryBytes, localRegion.bytes());
        requireInside("remote", remoteRegion.id(), remoteAt, entryBytes, remoteRegion.bytes());
        if (size == bytes.length) {
            grow();
        }
        local[size] = localRegion;
        remote[size] = remoteRegion;
        localOffset[size] = localAt;
        remoteOffset[size] = remoteAt;
        bytes[size] = entryBytes;
        token[size] = entryToken;
        totalBytes += entryBytes;
        size++;
    }

    public int size() {
        return size;
    }

    public long totalBytes() {
        return totalBytes;
    }

    public MemoryRegion local(int entry) {
        return local[entry];
    }

    public RemoteRegion remote(int entry) {
        return remote[entry];
    }

    public long localOffset(int entry) {
        return localOffset[entry];
    }

    public long remoteOffset(int entry) {
        return remoteOffset[entry];
    }

    public long bytes(int entry) {
        return bytes[entry];
    }

    public long token(int entry) {
        return token[entry];
    }

    private static void requireInside(String side, String region, long at, long count, long regionBytes) {
        if (count < 1 || at < 0 || at > regionBytes - count) {
            throw new IndexOutOfBoundsException(
                    "%s region %s: %d bytes at %d, it has %d".formatted(side, region, count, at, regionBytes));
        }
    }

    private void grow() {
        int capacity = 2 * size;
        local = Arrays.copyOf(local, capacity);
        remote = Arrays.copyOf(remote, capacity);
        localOffset = Arrays.copyOf(localOffset, capacity);
        remoteOffset = Arrays.copyOf(remoteOffset, capacity);
        bytes = Arrays.copyOf(bytes, capacity);
        token = Arrays.copyOf(token, capacity);
    }
}
