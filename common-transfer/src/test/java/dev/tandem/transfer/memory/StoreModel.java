package dev.tandem.transfer.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.ChunkKey;

/** What a store must do, said as plainly as possible: lists that are searched, and counts that are counted. */
final class StoreModel {

    enum Stage {
        RESERVED,
        QUARANTINED,
        PINNED,
        GONE
    }

    /** A chunk of an allocation; later positions of a key share it. */
    static final class Part {
        final ChunkKey key;
        final Page page;
        Stage stage;
        boolean writing;

        @Nullable
        CommitOutcome outcome;

        Part(ChunkKey key, Page page, Stage stage) {
            this.key = key;
            this.page = page;
            this.stage = stage;
        }

        /** Whether it is committed, by whomever. */
        boolean served() {
            return outcome != null && outcome != CommitOutcome.REFUSED;
        }
    }

    /** An allocation, as it is and as it must be. */
    static final class Held {
        final Allocation real;
        final List<Part> parts = new ArrayList<>();
        boolean closed;

        Held(Allocation real) {
            this.real = real;
        }
    }

    static final class Visible {
        final Page page;
        int pins;

        Visible(Page page) {
            this.page = page;
        }
    }

    final Map<ChunkKey, Visible> visible = new HashMap<>();
    /** Least recently used first. */
    final List<ChunkKey> pinned = new ArrayList<>();

    final List<ChunkKey> idle = new ArrayList<>();
    final List<Held> allocations = new ArrayList<>();
    private final int total;

    StoreModel(int total) {
        this.total = total;
    }

    boolean fits(List<ChunkKey> keys) {
        Set<ChunkKey> missing = new HashSet<>(keys);
        missing.removeAll(visible.keySet());
        List<ChunkKey> evictable = new ArrayList<>(idle);
        evictable.removeAll(keys);
        return missing.size() <= free() + evictable.size();
    }

    Held take(List<ChunkKey> keys, Allocation real) {
        Set<ChunkKey> distinct = new HashSet<>(keys);
        List<ChunkKey> present = new ArrayList<>(keys.stream().distinct().toList());
        present.retainAll(visible.keySet());
        present.reversed().forEach(this::pin);
        while (free() < distinct.size() - present.size()) {
            visible.remove(idle.removeFirst());
        }
        var held = new Held(real);
        for (int chunk = 0; chunk < keys.size(); chunk++) {
            ChunkKey key = keys.get(chunk);
            int first = keys.indexOf(key);
            held.parts.add(first < chunk ? held.parts.get(first) : part(key, real.page(chunk)));
        }
        allocations.add(held);
        return held;
    }

    CommitOutcome commit(Held held, int chunk) {
        Part part = held.parts.get(chunk);
        if (part.outcome == null) {
            part.outcome = firstCommit(held, part);
        }
        return part.outcome;
    }

    void quarantine(Held held) {
        for (Part part : held.parts) {
            if (part.stage == Stage.RESERVED) {
                part.stage = Stage.QUARANTINED;
            }
        }
    }

    void close(Held held) {
        for (Part part : held.parts.stream().distinct().toList().reversed()) {
            if (part.stage == Stage.PINNED) {
                unpin(part.key);
                part.stage = Stage.GONE;
            } else if (part.stage != Stage.GONE) {
                part.stage = part.writing ? Stage.QUARANTINED : Stage.GONE;
            }
        }
        held.closed = true;
    }

    /** Lets go of allocations that ended long ago. */
    void forget() {
        if (allocations.size() > 12) {
            allocations.removeIf(held -> held.closed && held.parts.stream().noneMatch(part -> part.writing));
        }
    }

    void endWrite(Held held, Part part) {
        part.writing = false;
        if (held.closed) {
            part.stage = Stage.GONE;
        }
    }

    void pin(ChunkKey key) {
        pinned.remove(key);
        idle.remove(key);
        pinned.add(key);
        visibleOf(key).pins++;
    }

    void unpin(ChunkKey key) {
        if (--visibleOf(key).pins == 0) {
            pinned.remove(key);
            idle.add(key);
        }
    }

    boolean evict(ChunkKey key) {
        boolean evictable = idle.remove(key);
        if (evictable) {
            visible.remove(key);
        }
        return evictable;
    }

    int leadingRun(List<ChunkKey> keys) {
        int run = 0;
        while (run < keys.size() && visible.containsKey(keys.get(run))) {
            run++;
        }
        return run;
    }

    /** The visible chunk in that page. */
    Optional<ChunkKey> at(Page page) {
        return visible.keySet().stream()
                .filter(key -> visibleOf(key).page.equals(page))
                .findAny();
    }

    /** All visible chunks, most recently used first. */
    List<StoredChunk> chunks() {
        return Stream.concat(pinned.reversed().stream(), idle.reversed().stream())
                .map(key -> new StoredChunk(key, visibleOf(key).page.ref(), Pool.PAGE_BYTES, visibleOf(key).pins, 0))
                .toList();
    }

    PageCounts counts() {
        int reserved = pagesIn(Stage.RESERVED).size();
        int quarantined = pagesIn(Stage.QUARANTINED).size();
        return new PageCounts(total, free(), reserved, visible.size(), pinned.size(), quarantined);
    }

    /** Every page that is somebody's; one that is two parties' stands there twice. */
    List<Page> pagesInHands() {
        List<Page> pages = new ArrayList<>(pagesIn(Stage.RESERVED));
        pages.addAll(pagesIn(Stage.QUARANTINED));
        visible.values().forEach(chunk -> pages.add(chunk.page));
        return pages;
    }

    private Part part(ChunkKey key, Page page) {
        var part = new Part(key, page, visible.containsKey(key) ? Stage.PINNED : Stage.RESERVED);
        part.outcome = part.stage == Stage.PINNED ? CommitOutcome.DUPLICATE : null;
        return part;
    }

    private CommitOutcome firstCommit(Held held, Part part) {
        if (held.closed || part.stage != Stage.RESERVED) {
            return CommitOutcome.REFUSED;
        }
        if (part.writing) {
            part.stage = Stage.QUARANTINED;
            return CommitOutcome.REFUSED;
        }
        boolean first = !visible.containsKey(part.key);
        if (first) {
            visible.put(part.key, new Visible(part.page));
        }
        pin(part.key);
        part.stage = Stage.PINNED;
        return first ? CommitOutcome.COMMITTED : CommitOutcome.DUPLICATE;
    }

    private Visible visibleOf(ChunkKey key) {
        return Objects.requireNonNull(visible.get(key));
    }

    private int free() {
        return total - pagesInHands().size();
    }

    private List<Page> pagesIn(Stage stage) {
        return allocations.stream()
                .flatMap(held -> held.parts.stream().distinct())
                .filter(part -> part.stage == stage)
                .map(part -> part.page)
                .toList();
    }
}
