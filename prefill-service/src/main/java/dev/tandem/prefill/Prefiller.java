package dev.tandem.prefill;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.springframework.stereotype.Component;

import dev.tandem.engine.Engine;
import dev.tandem.engine.PrefillRun;
import dev.tandem.engine.Sampling;
import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.ChunkKeys;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.KvLayout;
import dev.tandem.transfer.PeerId;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.config.AllocProperties;
import dev.tandem.transfer.handover.Handover;
import dev.tandem.transfer.handover.OutgoingTransfer;
import dev.tandem.transfer.handover.Sender;
import dev.tandem.transfer.memory.Allocation;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.metrics.TransferMetrics;

/**
 * Computes a prompt's KV into pages and hands each chunk over as soon as it is computed. What it computed stays in this
 * node's own store, so that a shared prefix is not computed twice.
 *
 * <p>Thread-safe; blocks.
 */
@Component
class Prefiller {

    private final Engine engine;
    private final ChunkStore store;
    private final Sender sender;
    private final TransferMetrics metrics;
    private final Duration allocWait;

    Prefiller(Engine engine, ChunkStore store, Sender sender, TransferMetrics metrics, AllocProperties alloc) {
        this.engine = engine;
        this.store = store;
        this.sender = sender;
        this.metrics = metrics;
        this.allocWait = alloc.longestWait();
    }

    /** Whom the KV goes to, for which request. */
    record Destination(PeerId receiver, int allocPort, String reqId) {}

    /**
     * Computes a prompt.
     *
     * @return the prompt's first token and the transfer that may still be under way; to be closed
     * @throws TransferException POOL_FULL or TOO_LARGE when this node has no pages for it
     */
    Prefilled prefill(int[] prompt, Sampling sampling, Optional<Destination> destination, Deadline deadline)
            throws InterruptedException {
        KvLayout layout = engine.layout();
        List<ChunkKey> keys = new ChunkKeys(engine.modelId(), engine.ranks(), 0, layout).of(prompt, prompt.length);
        Allocation allocation = store.allocate(keys, bytes(layout, prompt.length), deadline.atMost(allocWait));
        var prefilled = new Prefilled(
                allocation,
                destination.map(to -> sender.open(new Handover(
                        to.receiver(),
                        to.allocPort(),
                        to.reqId(),
                        keys,
                        layout,
                        lastTokens(layout, prompt.length),
                        deadline))));
        try {
            long started = System.nanoTime();
            prefilled.firstToken(compute(prompt, sampling, prefilled, deadline));
            metrics.prefilled(Duration.ofNanos(System.nanoTime() - started));
            return prefilled;
        } catch (RuntimeException | InterruptedException e) {
            prefilled.close();
            throw e;
        }
    }

    private int compute(int[] prompt, Sampling sampling, Prefilled prefilled, Deadline deadline)
            throws InterruptedException {
        Allocation allocation = prefilled.allocation();
        int known = leadingPresent(allocation);
        try (Arena scratch = Arena.ofShared();
                PrefillRun run = engine.prefill(prompt, known, List.of(pages(allocation, known, scratch)))) {
            for (int chunk = 0; chunk < known; chunk++) {
                prefilled.computed(chunk);
            }
            while (!run.done()) {
                deadline.requireNotPassed("computing the prompt");
                prefilled.computed(run.computeNextChunk());
            }
            return run.firstToken(sampling);
        }
    }

    private static int leadingPresent(Allocation allocation) {
        int present = 0;
        while (present < allocation.size() && allocation.present(present)) {
            present++;
        }
        return present;
    }

    /** A committed page is never written again: a present chunk behind a missing one is computed into scratch memory. */
    private static List<MemorySegment> pages(Allocation allocation, int known, Arena scratch) {
        var pages = new ArrayList<MemorySegment>();
        for (int chunk = 0; chunk < allocation.size(); chunk++) {
            long bytes = allocation.bytes(chunk);
            boolean committed = chunk >= known && allocation.present(chunk);
            pages.add(
                    committed
                            ? scratch.allocate(bytes, 64)
                            : allocation.page(chunk).segment(bytes));
        }
        return pages;
    }

    private static long[] bytes(KvLayout layout, int tokens) {
        int chunks = Math.ceilDiv(tokens, layout.chunkTokens());
        var bytes = new long[chunks];
        Arrays.fill(bytes, layout.pageBytes());
        bytes[chunks - 1] = layout.chunkBytes(lastTokens(layout, tokens));
        return bytes;
    }

    private static int lastTokens(KvLayout layout, int tokens) {
        return (tokens - 1) % layout.chunkTokens() + 1;
    }

    /** A computed prompt: its pages, and the transfer that reads them. */
    static final class Prefilled implements AutoCloseable {

        private final Allocation allocation;
        private final Optional<OutgoingTransfer> transfer;
        private int firstToken;

        Prefilled(Allocation allocation, Optional<OutgoingTransfer> transfer) {
            this.allocation = allocation;
            this.transfer = transfer;
        }

        private Allocation allocation() {
            return allocation;
        }

        private void computed(int chunk) {
            transfer.ifPresent(to -> to.write(chunk, allocation.page(chunk)));
        }

        private void firstToken(int token) {
            firstToken = token;
        }

        int firstToken() {
            return firstToken;
        }

        /**
         * Waits for the end of the transfer, if there is one.
         *
         * @throws TransferException why it failed
         */
        void awaitTransfer() throws InterruptedException {
            if (transfer.isPresent()) {
                transfer.get().finish();
            }
        }

        /** Keeps what was computed in this node's store. Only when nothing reads or writes the pages any more. */
        void keep() {
            transfer.ifPresent(OutgoingTransfer::close);
            for (int chunk = 0; chunk < allocation.size(); chunk++) {
                if (!allocation.present(chunk)) {
                    allocation.commit(chunk);
                }
            }
        }

        /** Ends the transfer, whatever its state, and gives up the pages. */
        @Override
        public void close() {
            transfer.ifPresent(OutgoingTransfer::close);
            allocation.close();
        }
    }
}
