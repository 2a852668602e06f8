package dev.tandem.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import dev.tandem.transfer.KvLayout;

/** Pages for tests: exactly as large as their chunks. */
final class Pages {

    private Pages() {}

    /** One list per rank, one page per chunk of {@code tokens} tokens. */
    static List<List<MemorySegment>> of(Arena arena, KvLayout layout, int ranks, int tokens) {
        List<List<MemorySegment>> pages = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            List<MemorySegment> own = new ArrayList<>();
            for (int first = 0; first < tokens; first += layout.chunkTokens()) {
                own.add(arena.allocate(layout.chunkBytes(Math.min(layout.chunkTokens(), tokens - first)), 64));
            }
            pages.add(own);
        }
        return pages;
    }

    static List<List<MemorySegment>> of(Arena arena, Engine engine, int tokens) {
        return of(arena, engine.layout(), engine.ranks(), tokens);
    }
}
