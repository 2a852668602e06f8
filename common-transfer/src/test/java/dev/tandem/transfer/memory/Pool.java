package dev.tandem.transfer.memory;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;

/** A store over a few small pages, and short words for what tests do with it. */
final class Pool {

    static final long PAGE_BYTES = 64;

    final AtomicLong nanos = new AtomicLong();
    final ChunkStore store;
    final List<Page> pages = new ArrayList<>();

    /** @param pages of each buffer; the buffers are named kv-0, kv-1 ... */
    Pool(int... pages) {
        var buffers = new ArrayList<RegisteredBuffer>();
        for (int i = 0; i < pages.length; i++) {
            buffers.add(buffer("kv-" + i, pages[i], PAGE_BYTES));
            for (int index = 0; index < pages[i]; index++) {
                this.pages.add(new Page(buffers.get(i), index));
            }
        }
        this.store = new ChunkStore(buffers, nanos::get);
    }

    static RegisteredBuffer buffer(String id, int pages, long pageBytes) {
        var segment = Arena.ofAuto().allocate(pages * pageBytes);
        return new RegisteredBuffer(new MemoryRegion(id, segment, MemoryKind.HOST), pageBytes);
    }

    static List<ChunkKey> keys(String... names) {
        return Arrays.stream(names).map(ChunkKey::new).toList();
    }

    /** Allocates full chunks if there is room now. */
    Allocation allocate(String... names) throws InterruptedException {
        return allocate(Duration.ZERO, names);
    }

    Allocation allocate(Duration wait, String... names) throws InterruptedException {
        var bytes = new long[names.length];
        Arrays.fill(bytes, PAGE_BYTES);
        return store.allocate(keys(names), bytes, Deadline.after(wait));
    }

    /** Commits these chunks and lets go of them. */
    void fill(String... names) throws InterruptedException {
        try (Allocation allocation = allocate(names)) {
            for (int chunk = 0; chunk < names.length; chunk++) {
                allocation.commit(chunk);
            }
        }
    }

    boolean holds(String name) {
        return store.find(new ChunkKey(name)).isPresent();
    }

    Lease lease(String... names) {
        return store.lease(keys(names));
    }

    /** As a channel would, with the chunk's own token. */
    boolean beginWrite(Allocation allocation, int chunk) {
        return beginWrite(allocation.page(chunk), allocation.token(chunk));
    }

    boolean beginWrite(Page page, long token) {
        return store.beginWrite(page.region().id(), page.offset(), PAGE_BYTES, token);
    }

    void endWrite(Page page) {
        store.endWrite(page.region().id(), page.offset());
    }

    boolean beginRead(Page page) {
        return store.beginRead(page.region().id(), page.offset(), PAGE_BYTES, 0);
    }

    void endRead(Page page) {
        store.endRead(page.region().id(), page.offset());
    }

    PageCounts allFree() {
        return new PageCounts(pages.size(), pages.size(), 0, 0, 0, 0);
    }
}
