package dev.tandem.transfer.memory;

import java.util.HashMap;
import java.util.List;

import dev.tandem.transfer.ChunkKey;

/** The chunks one allocation is about. Immutable. */
final class PageRequest {

    private final List<ChunkKey> keys;
    private final long[] bytes;
    private final int[] first;
    private final int distinct;

    /** @throws IllegalArgumentException when the lists differ in length or a chunk does not fit a page */
    PageRequest(List<ChunkKey> keys, long[] chunkBytes, long pageBytes) {
        if (keys.size() != chunkBytes.length) {
            throw new IllegalArgumentException("%d keys with %d sizes".formatted(keys.size(), chunkBytes.length));
        }
        this.keys = List.copyOf(keys);
        this.bytes = chunkBytes.clone();
        this.first = new int[bytes.length];
        for (long size : bytes) {
            requireFits(size, pageBytes);
        }
        this.distinct = findFirst();
    }

    List<ChunkKey> keys() {
        return keys;
    }

    int size() {
        return bytes.length;
    }

    ChunkKey key(int chunk) {
        return keys.get(chunk);
    }

    long bytes(int chunk) {
        return bytes[chunk];
    }

    /** Where this chunk's key stands first in the list: at a smaller position if it stands there twice. */
    int first(int chunk) {
        return first[chunk];
    }

    /** Whether this position is the first of its key. */
    boolean leads(int chunk) {
        return first[chunk] == chunk;
    }

    /** Number of different keys. */
    int distinct() {
        return distinct;
    }

    private int findFirst() {
        var seen = HashMap.<ChunkKey, Integer>newHashMap(keys.size());
        for (int chunk = 0; chunk < first.length; chunk++) {
            Integer earlier = seen.putIfAbsent(keys.get(chunk), chunk);
            first[chunk] = earlier == null ? chunk : earlier;
        }
        return seen.size();
    }

    private static void requireFits(long chunkBytes, long pageBytes) {
        if (chunkBytes < 1 || chunkBytes > pageBytes) {
            throw new IllegalArgumentException(
                    "chunk of %d bytes: must be 1..%d, the size of a page".formatted(chunkBytes, pageBytes));
        }
    }
}
