package dev.tandem.transfer.memory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * Who owns which page of one rank, and which chunks are visible. Writers take an {@link Allocation}, readers a
 * {@link Lease}. What neither holds may be evicted: the chunk released longest ago goes first, and a prefix loses its
 * end before its beginning, since a chunk is of no use without those before it.
 *
 * <p>Thread-safe. Only {@link #allocate} blocks. Begin and end of writes and reads are shaped like a channel's guard;
 * either keeps the page from reuse until it has ended.
 */
public final class ChunkStore {

    private final ReentrantLock lock = new ReentrantLock();
    private final WaitingLine line = new WaitingLine(lock);
    private final WriteTokens tokens = new WriteTokens();
    private final PageDirectory pages;
    private final PageTable table;
    private final VisibleChunks visible;

    /**
     * @param buffers at least one, all with pages of one size; they stay the caller's to free
     * @param nanoClock monotonic, such as {@link System#nanoTime}
     */
    public ChunkStore(List<RegisteredBuffer> buffers, LongSupplier nanoClock) {
        this.pages = new PageDirectory(buffers);
        this.table = new PageTable(pages, nanoClock, line::gained);
        this.visible = table.visible();
    }

    /**
     * Pins the chunks that are present and reserves a page with a fresh write token for each of the others: all or
     * none. Of a key that stands twice the first position is reserved, the later ones count as present.
     *
     * <p>Blocks while there are too few pages, first come first served, holding nothing; evicts what nobody holds. A
     * request whose chunks are all present needs no pages and never waits.
     *
     * @param keys in prompt order; may be empty
     * @param chunkBytes size of each chunk, 1 to the size of a page
     * @return to be closed by the caller
     * @throws TransferException TOO_LARGE at once when the pool has fewer pages than there are different keys,
     *     POOL_FULL at the deadline
     * @throws InterruptedException while waiting; nothing is left behind
     */
    public Allocation allocate(List<ChunkKey> keys, long[] chunkBytes, Deadline wait) throws InterruptedException {
        var request = new PageRequest(keys, chunkBytes, pages.pageBytes());
        requireFitsPool(request);
        long[] drawn = tokens.draw(request.size());
        lock.lock();
        try {
            awaitPages(request, wait);
            return new Allocation(lock, table, request, drawn);
        } finally {
            lock.unlock();
        }
    }

    /** Leases the longest leading run of these chunks that is present, possibly none. To be closed by the caller. */
    public Lease lease(List<ChunkKey> keys) {
        return locked(() -> new Lease(lock, visible, keys.subList(0, visible.leadingRun(keys))));
    }

    /** How many leading chunks are present, without holding them. */
    public int present(List<ChunkKey> keys) {
        return locked(() -> visible.leadingRun(keys));
    }

    /** The chunk of this name, if it is visible. Does not count as a use. */
    public Optional<StoredChunk> find(ChunkKey key) {
        return locked(() -> Optional.ofNullable(visible.find(key)).map(visible::describe));
    }

    /**
     * A part of the list of visible chunks, most recently used first.
     *
     * @param offset how many to skip
     * @param limit how many to return at most
     */
    public List<StoredChunk> chunks(int offset, int limit) {
        return locked(() -> visible.list(offset, limit));
    }

    /**
     * Drops a chunk.
     *
     * @return false when it is not there, or pinned
     */
    public boolean evict(ChunkKey key) {
        return locked(() -> dropped(key));
    }

    public PageCounts counts() {
        return locked(table::counts);
    }

    /**
     * Admits a write into a page that is reserved with this token and into which nobody else writes.
     *
     * @param offset where a page begins
     * @param bytes 1 to the size of that page's chunk
     * @return whether it is admitted; then {@link #endWrite} must follow
     */
    public boolean beginWrite(String region, long offset, long bytes, long token) {
        lock.lock();
        try {
            PageSlot slot = pages.at(region, offset);
            return slot != null && slot.beginWrite(bytes, token);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends an admitted write: no more bytes will land.
     *
     * @throws IllegalStateException when none is under way there
     */
    public void endWrite(String region, long offset) {
        lock.lock();
        try {
            table.endWrite(requirePage(region, offset));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Admits a read of a committed chunk and keeps it until the read ends.
     *
     * @param offset where a page begins
     * @param bytes 1 to the size of that page's chunk
     * @param token not looked at
     * @return whether it is admitted; then {@link #endRead} must follow
     */
    public boolean beginRead(String region, long offset, long bytes, long token) {
        lock.lock();
        try {
            PageSlot slot = pages.at(region, offset);
            return slot != null && visible.beginRead(slot, bytes);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends an admitted read.
     *
     * @throws IllegalStateException when none is under way there
     */
    public void endRead(String region, long offset) {
        lock.lock();
        try {
            visible.endRead(requirePage(region, offset));
        } finally {
            lock.unlock();
        }
    }

    private boolean dropped(ChunkKey key) {
        PageSlot slot = visible.find(key);
        if (slot == null || slot.pinned()) {
            return false;
        }
        table.evict(slot);
        return true;
    }

    private <T> T locked(Supplier<T> body) {
        lock.lock();
        try {
            return body.get();
        } finally {
            lock.unlock();
        }
    }

    private void awaitPages(PageRequest request, Deadline wait) throws InterruptedException {
        if (!line.isEmpty() && visible.leadingRun(request.keys()) == request.size()) {
            return;
        }
        if (!line.await(() -> table.missing(request), wait)) {
            throw new TransferException(
                    ErrorCode.POOL_FULL,
                    "%d chunks lack %d pages: %s".formatted(request.size(), table.missing(request), table.counts()));
        }
    }

    private void requireFitsPool(PageRequest request) {
        if (request.distinct() > pages.total()) {
            throw new TransferException(
                    ErrorCode.TOO_LARGE,
                    "%d chunks need %d bytes: the pool has %d pages, %d bytes"
                            .formatted(
                                    request.distinct(),
                                    request.distinct() * pages.pageBytes(),
                                    pages.total(),
                                    pages.total() * pages.pageBytes()));
        }
    }

    private PageSlot requirePage(String region, long offset) {
        PageSlot slot = pages.at(region, offset);
        if (slot == null) {
            throw new IllegalStateException("region %s: no page begins at %d".formatted(region, offset));
        }
        return slot;
    }
}
