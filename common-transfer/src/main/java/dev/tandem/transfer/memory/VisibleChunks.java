package dev.tandem.transfer.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.ChunkKey;

/** The committed chunks: where they are, who pins them, and in which order they may go. Guarded by the store's lock. */
final class VisibleChunks {

    private final LongSupplier nanoClock;
    private final Runnable gained;
    private final Map<ChunkKey, PageSlot> slots = new HashMap<>();
    private final RecencyList pinned = new RecencyList();
    private final RecencyList idle = new RecencyList();

    /** @param gained called after a chunk appeared, or became evictable */
    VisibleChunks(LongSupplier nanoClock, Runnable gained) {
        this.nanoClock = nanoClock;
        this.gained = gained;
    }

    /** How many chunks are pinned. */
    int pinned() {
        return pinned.size();
    }

    /** How many chunks may be evicted. */
    int evictable() {
        return idle.size();
    }

    /** The chunk that is to be evicted next. */
    @Nullable
    PageSlot nextToEvict() {
        return idle.oldest();
    }

    @Nullable
    PageSlot find(ChunkKey key) {
        return slots.get(key);
    }

    /** How many of these, from the first on, are there. */
    int leadingRun(List<ChunkKey> keys) {
        int run = 0;
        while (run < keys.size() && slots.containsKey(keys.get(run))) {
            run++;
        }
        return run;
    }

    /** Shows a page's chunk to readers, pinned once. */
    void add(PageSlot slot) {
        slot.committedAt(nanoClock.getAsLong());
        slot.pin();
        pinned.add(slot);
        slots.put(slot.key(), slot);
        gained.run();
    }

    /** Hides a chunk that nobody pins. */
    void remove(PageSlot slot) {
        idle.remove(slot);
        slots.remove(slot.key());
    }

    void pin(PageSlot slot) {
        use(slot);
        slot.pin();
    }

    void unpin(PageSlot slot) {
        slot.unpin();
        rest(slot);
    }

    /** Pins chunks that are there. The first is pinned last, so that it is the last to be evicted. */
    PageSlot[] pinAll(List<ChunkKey> keys) {
        var all = new PageSlot[keys.size()];
        for (int chunk = all.length - 1; chunk >= 0; chunk--) {
            all[chunk] = Objects.requireNonNull(find(keys.get(chunk)));
            pin(all[chunk]);
        }
        return all;
    }

    /** Unpins, the first again last. */
    void unpinAll(PageSlot[] all) {
        for (int chunk = all.length - 1; chunk >= 0; chunk--) {
            unpin(all[chunk]);
        }
    }

    boolean beginRead(PageSlot slot, long bytes) {
        if (!slot.mayRead(bytes)) {
            return false;
        }
        use(slot);
        slot.beginRead();
        return true;
    }

    void endRead(PageSlot slot) {
        slot.endRead();
        rest(slot);
    }

    StoredChunk describe(PageSlot slot) {
        return slot.stored(nanoClock.getAsLong());
    }

    /** Chunks in use, most recently taken first, then the others, most recently released first. */
    List<StoredChunk> list(int offset, int limit) {
        var found = new ArrayList<StoredChunk>();
        int skip = offset;
        for (RecencyList list : List.of(pinned, idle)) {
            for (PageSlot slot = list.newest(); slot != null && found.size() < limit; slot = slot.older) {
                if (skip-- <= 0) {
                    found.add(describe(slot));
                }
            }
        }
        return found;
    }

    private void use(PageSlot slot) {
        (slot.pinned() ? pinned : idle).remove(slot);
        pinned.add(slot);
    }

    private void rest(PageSlot slot) {
        if (!slot.pinned()) {
            pinned.remove(slot);
            idle.add(slot);
            gained.run();
        }
    }
}
