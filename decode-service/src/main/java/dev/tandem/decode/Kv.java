package dev.tandem.decode;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import dev.tandem.transfer.memory.Lease;

/**
 * The KV that a request decodes from, and how it came about. Closing it gives up the lease, or the right to recompute.
 *
 * @param verdict what the client is told
 * @param cachedTokens leading tokens whose KV the pages hold; 0 if the engine computes all
 */
record Kv(Verdict verdict, int cachedTokens, List<MemorySegment> pages, Runnable giveUp) implements AutoCloseable {

    /** How the KV came about. */
    enum Verdict {
        /** A prefill node computed it, and it crossed for this request. */
        TRANSFERRED,
        /** It was here already. */
        REUSED,
        /** It should have come from a prefill node and did not: this node computes it. */
        RECOMPUTED,
        /** The client asked for, or the configuration allows, nothing else than computing here. */
        LOCAL;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Kv leased(Verdict verdict, int cachedTokens, Lease lease) {
        List<MemorySegment> pages = IntStream.range(0, lease.size())
                .mapToObj(chunk -> lease.page(chunk).segment(lease.bytes(chunk)))
                .toList();
        return new Kv(verdict, cachedTokens, pages, lease::close);
    }

    static Kv computedHere(Verdict verdict, Runnable giveUp) {
        return new Kv(verdict, 0, List.of(), giveUp);
    }

    @Override
    public void close() {
        giveUp.run();
    }
}
