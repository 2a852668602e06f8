package dev.tandem.transfer.memory;

import org.jspecify.annotations.Nullable;

/** Pages from the most to the least recently used. A page stands in one list at most. Allocates nothing. */
final class RecencyList {

    private @Nullable PageSlot newest;
    private @Nullable PageSlot oldest;
    private int size;

    int size() {
        return size;
    }

    @Nullable
    PageSlot newest() {
        return newest;
    }

    @Nullable
    PageSlot oldest() {
        return oldest;
    }

    void add(PageSlot slot) {
        slot.older = newest;
        if (newest == null) {
            oldest = slot;
        } else {
            newest.newer = slot;
        }
        newest = slot;
        size++;
    }

    void remove(PageSlot slot) {
        if (slot.newer == null) {
            newest = slot.older;
        } else {
            slot.newer.older = slot.older;
        }
        if (slot.older == null) {
            oldest = slot.newer;
        } else {
            slot.older.newer = slot.newer;
        }
        slot.older = null;
        slot.newer = null;
        size--;
    }
}
