package dev.tandem.transfer.channel.tcp;

import java.util.ArrayDeque;

/** Buffer sets that no batch is using, so that an idle socket holds none. Thread-safe. */
final class BufferPool {

    private static final int MOST_KEPT = 64;

    private final LocalRegions regions;
    private final ArrayDeque<BufferSet> unused = new ArrayDeque<>(MOST_KEPT);

    BufferPool(LocalRegions regions) {
        this.regions = regions;
    }

    /** The set that was used last is warm: it goes first. */
    synchronized BufferSet take() {
        BufferSet last = unused.pollLast();
        return last == null ? new BufferSet(regions) : last;
    }

    synchronized void give(BufferSet set) {
        if (unused.size() < MOST_KEPT) {
            unused.addLast(set);
        }
    }
}
