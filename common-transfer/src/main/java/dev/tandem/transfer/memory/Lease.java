package dev.tandem.transfer.memory;

import java.util.List;
import java.util.concurrent.locks.Lock;

import dev.tandem.transfer.ChunkKey;

/**
 * The right to read a run of committed chunks in place. They neither change nor go away until it is closed.
 *
 * <p>Thread-safe.
 */
public final class Lease implements AutoCloseable {

    private final Lock lock;
    private final VisibleChunks visible;
    private final PageSlot[] slots;
    private boolean closed;

    /** Takes it; all keys are present. The caller holds the lock. */
    Lease(Lock lock, VisibleChunks visible, List<ChunkKey> keys) {
        this.lock = lock;
        this.visible = visible;
        this.slots = visible.pinAll(keys);
    }

    /** Number of chunks. */
    public int size() {
        return slots.length;
    }

    /** @throws IllegalStateException once the lease is closed */
    public Page page(int chunk) {
        return open(chunk).page();
    }

    /**
     * Size of the chunk, at most that of its page.
     *
     * @throws IllegalStateException once the lease is closed
     */
    public long bytes(int chunk) {
        return open(chunk).bytes();
    }

    /** @throws IllegalStateException once the lease is closed */
    public ChunkKey key(int chunk) {
        return open(chunk).key();
    }

    /** Lets the chunks be evicted. Idempotent, any thread. Segments of the pages must not be read any more. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                visible.unpinAll(slots);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The caller may use what it finds: the chunk is immutable while the lease is open. */
    private PageSlot open(int chunk) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("lease of %d chunks: closed".formatted(slots.length));
            }
            return slots[chunk];
        } finally {
            lock.unlock();
        }
    }
}
