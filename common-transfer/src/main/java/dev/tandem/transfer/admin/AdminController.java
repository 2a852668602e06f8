package dev.tandem.transfer.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.handover.TransferLog;
import dev.tandem.transfer.handover.TransferView;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.memory.PageCounts;
import dev.tandem.transfer.memory.StoredChunk;
import dev.tandem.transfer.peer.PeerRegistry;
import dev.tandem.transfer.peer.PeerView;

/** {@code /admin} on the management port: what this node knows of peers, transfers, chunks and pages. */
@RestController
@RequestMapping("/admin")
public final class AdminController {

    private static final int MAX_PAGE = 1000;

    private final PeerRegistry peers;
    private final TransferLog transfers;
    private final ChunkStore store;

    public AdminController(PeerRegistry peers, TransferLog transfers, ChunkStore store) {
        this.peers = peers;
        this.transfers = transfers;
        this.store = store;
    }

    /** A peer, durations in ISO-8601. */
    record PeerBody(
            String id,
            String role,
            String state,
            String incarnation,
            long generation,
            String channel,
            String since,
            int consecutiveFailures,
            String backoffLeft,
            String rtt,
            Optional<Map<String, String>> lastError) {

        static PeerBody of(PeerView peer) {
            return new PeerBody(
                    peer.id(),
                    peer.role(),
                    peer.state(),
                    peer.incarnation(),
                    peer.generation(),
                    peer.channel(),
                    peer.since().toString(),
                    peer.consecutiveFailures(),
                    peer.backoffLeft().toString(),
                    peer.roundTrip().toString(),
                    peer.lastError().map(PeerBody::error));
        }

        private static Map<String, String> error(TransferException error) {
            return Map.of("code", error.code().name(), "message", String.valueOf(error.getMessage()));
        }
    }

    /** A chunk that readers can see: its key, its page, and how many readers and requests hold it there. */
    record ChunkBody(String key, String buffer, int page, long bytes, int pins, String age) {
        static ChunkBody of(StoredChunk chunk) {
            return new ChunkBody(
                    chunk.key().value(),
                    chunk.page().buffer(),
                    chunk.page().index(),
                    chunk.bytes(),
                    chunk.pins(),
                    Duration.ofNanos(chunk.ageNanos()).toString());
        }
    }

    @GetMapping("/peers")
    List<PeerBody> peers() {
        return peers.peers().stream().map(PeerBody::of).toList();
    }

    @GetMapping("/peers/{id}")
    PeerBody peer(@PathVariable String id) {
        return peers.find(id).map(PeerBody::of).orElseThrow(() -> new NoSuchElementException("peer " + id));
    }

    /** Chunks that readers can see, most recently used first. */
    @GetMapping("/kv")
    List<ChunkBody> chunks(
            @RequestParam(defaultValue = "0") int offset, @RequestParam(defaultValue = "100") int limit) {
        if (offset < 0 || limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException(
                    "offset %d, limit %d: offset from 0, limit 1 to %d".formatted(offset, limit, MAX_PAGE));
        }
        return store.chunks(offset, limit).stream().map(ChunkBody::of).toList();
    }

    /** One chunk by its key, which may contain slashes. */
    @GetMapping("/kv/lookup")
    ChunkBody chunk(@RequestParam String key) {
        return store.find(new ChunkKey(key))
                .map(ChunkBody::of)
                .orElseThrow(() -> new NoSuchElementException("chunk " + key));
    }

    @GetMapping("/transfers")
    List<TransferView> transfers(@RequestParam(defaultValue = "") String request) {
        return transfers.transfers().stream()
                .filter(transfer -> request.isEmpty() || transfer.reqId().equals(request))
                .toList();
    }

    @GetMapping("/pages")
    PageCounts pages() {
        return store.counts();
    }

    @ExceptionHandler
    ProblemDetail notFound(NoSuchElementException missing) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, missing.getMessage() + ": not known here");
    }

    @ExceptionHandler
    ProblemDetail badRequest(IllegalArgumentException wrong) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, wrong.getMessage());
    }
}
