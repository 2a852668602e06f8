package dev.tandem.transfer.memory;

import java.util.BitSet;
import java.util.function.LongSupplier;

import dev.tandem.transfer.ChunkKey;

/**
 * Which page is in which state. All moves from state to state go through here, so that pages are counted and whoever
 * waits for one is told. Guarded by the store's lock.
 */
final class PageTable {

    private final PageDirectory pages;
    private final VisibleChunks visible;
    private final Runnable gained;
    private final BitSet freePages = new BitSet();
    private int free;
    private int reserved;
    private int committed;
    private int quarantined;

    /** @param gained called after a page became free or evictable, or a chunk visible */
    PageTable(PageDirectory pages, LongSupplier nanoClock, Runnable gained) {
        this.pages = pages;
        this.visible = new VisibleChunks(nanoClock, gained);
        this.gained = gained;
        this.free = pages.total();
        freePages.set(0, free);
    }

    VisibleChunks visible() {
        return visible;
    }

    PageCounts counts() {
        return new PageCounts(pages.total(), free, reserved, committed, visible.pinned(), quarantined);
    }

    /** How many pages this request would lack if every chunk that is evictable, its own apart, were evicted. */
    int missing(PageRequest request) {
        int needed = 0;
        int ownEvictable = 0;
        for (int chunk = 0; chunk < request.size(); chunk++) {
            if (request.leads(chunk)) {
                PageSlot present = visible.find(request.key(chunk));
                needed += present == null ? 1 : 0;
                ownEvictable += present == null || present.pinned() ? 0 : 1;
            }
        }
        return Math.max(0, needed - free - (visible.evictable() - ownEvictable));
    }

    /** Evicts the least recently used chunks until this many pages are free or none is left to evict. */
    void makeRoom(int wanted) {
        PageSlot next = visible.nextToEvict();
        while (next != null && free < wanted) {
            evict(next);
            next = visible.nextToEvict();
        }
    }

    /** Takes the first free page in order, so that a request's pages tend to be adjacent and travel as one piece. */
    PageSlot reserve(ChunkKey key, long bytes, long token) {
        PageSlot slot = pages.at(freePages.nextSetBit(0));
        move(slot, PageState.RESERVED);
        freePages.clear(slot.position());
        slot.hold(key, bytes, token);
        return slot;
    }

    /** Makes a reserved page's chunk visible, pinned once. */
    void commit(PageSlot slot) {
        move(slot, PageState.COMMITTED);
        visible.add(slot);
    }

    void quarantine(PageSlot slot) {
        move(slot, PageState.QUARANTINED);
    }

    /** Frees a page that will not be committed; one with a guarded write under way only when that ends. */
    void giveUp(PageSlot slot) {
        if (!slot.writing()) {
            release(slot);
            return;
        }
        if (slot.state() == PageState.RESERVED) {
            quarantine(slot);
        }
        slot.giveUp();
    }

    void endWrite(PageSlot slot) {
        slot.endWrite();
        if (slot.givenUp()) {
            release(slot);
        }
    }

    /** Drops a chunk that nobody pins. */
    void evict(PageSlot slot) {
        visible.remove(slot);
        release(slot);
    }

    private void release(PageSlot slot) {
        move(slot, PageState.FREE);
        slot.clear();
        freePages.set(slot.position());
        gained.run();
    }

    private void move(PageSlot slot, PageState next) {
        PageState last = slot.state();
        slot.become(next);
        count(last, -1);
        count(next, 1);
    }

    private void count(PageState state, int change) {
        switch (state) {
            case FREE -> free += change;
            case RESERVED -> reserved += change;
            case COMMITTED -> committed += change;
            case QUARANTINED -> quarantined += change;
        }
    }
}
