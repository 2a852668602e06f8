package dev.tandem.transfer.memory;

import java.util.List;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.ChunkKey;

/**
 * The right to write the chunks of one request that were not there yet, and a pin on those that were. Committed chunks
 * stay pinned too, until it is closed.
 *
 * <p>Thread-safe. Every method returns at once. After {@link #close} the pages it names may be another's.
 */
public final class Allocation implements AutoCloseable {

    private final Lock lock;
    private final PageTable table;
    private final PageRequest request;
    /** Like sizes, tokens and outcomes, kept at the first position of a key only. */
    private final PageSlot[] slots;

    private final long[] bytes;
    private final long[] tokens;
    private final @Nullable CommitOutcome[] outcomes;
    private int uncommitted;
    private boolean closed;

    /**
     * Takes pages and pins; there are enough. The caller holds the lock.
     *
     * @param drawn fresh tokens, at least one for each different key
     */
    Allocation(Lock lock, PageTable table, PageRequest request, long[] drawn) {
        this.lock = lock;
        this.table = table;
        this.request = request;
        this.slots = new PageSlot[request.size()];
        this.bytes = new long[request.size()];
        this.tokens = new long[request.size()];
        this.outcomes = new CommitOutcome[request.size()];
        pinPresent();
        table.makeRoom(uncommitted);
        reserveOthers(drawn);
    }

    /** In the order of the request. */
    public List<ChunkKey> keys() {
        return request.keys();
    }

    /** Number of chunks, present ones included. */
    public int size() {
        return request.size();
    }

    /** Whether there is nothing to write: it was committed before, or its key stands earlier in the list. */
    public boolean present(int chunk) {
        return tokens[chunk] == 0;
    }

    /** The page to write, or the one that holds the chunk already; the same for all positions of a key. */
    public Page page(int chunk) {
        lock.lock();
        try {
            return slots[request.first(chunk)].page();
        } finally {
            lock.unlock();
        }
    }

    /** Size of the chunk; of one that another committed, as it was committed. */
    public long bytes(int chunk) {
        lock.lock();
        try {
            return bytes[request.first(chunk)];
        } finally {
            lock.unlock();
        }
    }

    /** What a guarded write must show; 0 for a chunk that is present. */
    public long token(int chunk) {
        return tokens[chunk];
    }

    /**
     * States that the chunk is completely written and verified. A commit while a guarded write is still under way is
     * refused, and the page quarantined until {@link #close}. A later position of a key stands for the first.
     *
     * @return the outcome of the first commit of this chunk; DUPLICATE for one that is present
     */
    public CommitOutcome commit(int chunk) {
        int first = request.first(chunk);
        lock.lock();
        try {
            CommitOutcome outcome = outcomes[first];
            if (outcome == null) {
                outcome = settle(first);
                outcomes[first] = outcome;
            }
            return outcome;
        } finally {
            lock.unlock();
        }
    }

    /** Whether every chunk was present or is committed. */
    public boolean complete() {
        lock.lock();
        try {
            return uncommitted == 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The right to write has ended, yet the writer may still write: pages that are not committed go into quarantine,
     * their tokens are void. They leave it with {@link #close}. Idempotent.
     */
    public void quarantine() {
        lock.lock();
        try {
            for (int chunk = 0; chunk < slots.length && !closed; chunk++) {
                if (unsettled(chunk) && slots[chunk].state() == PageState.RESERVED) {
                    table.quarantine(slots[chunk]);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether a guarded write into one of its pages is under way; also after {@link #close}. */
    public boolean writing() {
        lock.lock();
        try {
            for (int chunk = 0; chunk < slots.length; chunk++) {
                if (!present(chunk) && slots[chunk].writing(tokens[chunk])) {
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Frees what is not committed and drops the pins. The caller knows that no unguarded write is or will be under way:
     * the writer acknowledged an abort, is fenced, or is this process. A page with a guarded write under way stays in
     * quarantine and is freed when that write ends. Idempotent, any thread.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                for (int chunk = slots.length - 1; chunk >= 0; chunk--) {
                    giveBack(chunk);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void pinPresent() {
        for (int chunk = slots.length - 1; chunk >= 0; chunk--) {
            if (request.leads(chunk)) {
                PageSlot present = table.visible().find(request.key(chunk));
                if (present == null) {
                    uncommitted++;
                } else {
                    serveFrom(present, chunk);
                    outcomes[chunk] = CommitOutcome.DUPLICATE;
                }
            }
        }
    }

    private void reserveOthers(long[] drawn) {
        for (int chunk = 0; chunk < slots.length; chunk++) {
            if (request.leads(chunk) && outcomes[chunk] == null) {
                bytes[chunk] = request.bytes(chunk);
                tokens[chunk] = drawn[chunk];
                slots[chunk] = table.reserve(request.key(chunk), bytes[chunk], tokens[chunk]);
            }
        }
    }

    private CommitOutcome settle(int chunk) {
        PageSlot own = slots[chunk];
        if (closed || own.state() != PageState.RESERVED) {
            return CommitOutcome.REFUSED;
        }
        if (own.writing()) {
            table.quarantine(own);
            return CommitOutcome.REFUSED;
        }
        uncommitted--;
        PageSlot earlier = table.visible().find(request.key(chunk));
        if (earlier == null) {
            table.commit(own);
            return CommitOutcome.COMMITTED;
        }
        table.giveUp(own);
        serveFrom(earlier, chunk);
        return CommitOutcome.DUPLICATE;
    }

    private void serveFrom(PageSlot committed, int chunk) {
        table.visible().pin(committed);
        slots[chunk] = committed;
        bytes[chunk] = committed.bytes();
    }

    private void giveBack(int chunk) {
        if (!request.leads(chunk)) {
            return;
        }
        if (unsettled(chunk)) {
            table.giveUp(slots[chunk]);
        } else {
            table.visible().unpin(slots[chunk]);
        }
    }

    /** Whether its page is reserved or in quarantine, while the allocation is open. */
    private boolean unsettled(int chunk) {
        return request.leads(chunk) && (outcomes[chunk] == null || outcomes[chunk] == CommitOutcome.REFUSED);
    }
}
