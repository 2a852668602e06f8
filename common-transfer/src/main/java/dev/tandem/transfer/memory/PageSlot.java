package dev.tandem.transfer.memory;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.ChunkKey;

/** One page, its state and its chunk. Guarded by the store's lock. */
final class PageSlot {

    private final Page page;
    private final int position;
    private PageState state = PageState.FREE;
    private @Nullable ChunkKey key;
    private long bytes;
    private long token;
    private long committedAtNanos;
    private int pins;
    private int readers;
    private boolean writing;
    private boolean givenUp;

    /** Neighbours in the {@link RecencyList} it stands in. */
    @Nullable
    PageSlot older;

    @Nullable
    PageSlot newer;

    /** @param position among all pages of the pool */
    PageSlot(Page page, int position) {
        this.page = page;
        this.position = position;
    }

    Page page() {
        return page;
    }

    int position() {
        return position;
    }

    PageState state() {
        return state;
    }

    /** The chunk it is reserved for or holds. */
    ChunkKey key() {
        if (key == null) {
            throw new IllegalStateException("%s: %s, it has no chunk".formatted(page, state));
        }
        return key;
    }

    long bytes() {
        return bytes;
    }

    boolean pinned() {
        return pins > 0;
    }

    /** Whether a guarded write is under way. */
    boolean writing() {
        return writing;
    }

    /** Whether the guarded write with this token is under way. */
    boolean writing(long writeToken) {
        return writing && token == writeToken;
    }

    StoredChunk stored(long nowNanos) {
        return new StoredChunk(key(), page.ref(), bytes, pins, nowNanos - committedAtNanos);
    }

    /** The one way from state to state. */
    void become(PageState next) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("%s: %s cannot become %s".formatted(page, state, next));
        }
        if (pins > 0 || (writing && next != PageState.QUARANTINED)) {
            throw new IllegalStateException("%s: in use, cannot become %s".formatted(page, next));
        }
        state = next;
    }

    void hold(ChunkKey chunk, long chunkBytes, long writeToken) {
        key = chunk;
        bytes = chunkBytes;
        token = writeToken;
    }

    void committedAt(long nowNanos) {
        committedAtNanos = nowNanos;
    }

    void clear() {
        key = null;
        bytes = 0;
        token = 0;
        givenUp = false;
    }

    void pin() {
        pins++;
    }

    void unpin() {
        if (pins == readers) {
            throw new IllegalStateException("%s: unpinned more often than pinned".formatted(page));
        }
        pins--;
    }

    boolean beginWrite(long writeBytes, long writeToken) {
        boolean admitted = state == PageState.RESERVED && token == writeToken && !writing && fits(writeBytes);
        writing |= admitted;
        return admitted;
    }

    void endWrite() {
        if (!writing) {
            throw new IllegalStateException("%s: no write is under way".formatted(page));
        }
        writing = false;
    }

    boolean mayRead(long readBytes) {
        return state == PageState.COMMITTED && fits(readBytes);
    }

    void beginRead() {
        pins++;
        readers++;
    }

    void endRead() {
        if (readers == 0) {
            throw new IllegalStateException("%s: no read is under way".formatted(page));
        }
        readers--;
        pins--;
    }

    /** Nobody holds it any more but the guarded write that is under way. */
    void giveUp() {
        givenUp = true;
    }

    boolean givenUp() {
        return givenUp;
    }

    private boolean fits(long count) {
        return count > 0 && count <= bytes;
    }
}
