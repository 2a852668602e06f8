package dev.tandem.transfer.handover;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.memory.Allocation;
import dev.tandem.transfer.memory.CommitOutcome;
import dev.tandem.transfer.peer.InboundSession;
import dev.tandem.transfer.peer.SessionResource;
import dev.tandem.transfer.wire.TransferReply;
import dev.tandem.transfer.wire.TransferRequest;

/**
 * One transfer at its receiver, from its allocation until its outcome is forgotten.
 *
 * <pre>
 *   OPEN ──→ COMPLETE            every chunk committed; the pins go to the request that waits
 *     └────→ ENDED(code)         aborted, lease expired, or its sender lost; the pages are quarantined, then freed
 * </pre>
 *
 * Thread-safe.
 */
final class IncomingTransfer implements SessionResource {

    private final Id id;
    private final String reqId;
    private final InboundSession session;
    private final Allocation allocation;
    private final TransferReply.Alloc allocReply;
    private final KvArrivals arrivals;
    private final int rank;
    private final Map<String, Integer> chunkByKey = new HashMap<>();
    private final BitSet committed = new BitSet();
    private long leaseEndNanos;
    private boolean complete;
    private @Nullable TransferException end;
    private long endedNanos;

    IncomingTransfer(
            Id id,
            String reqId,
            InboundSession session,
            Allocation allocation,
            TransferReply.Alloc allocReply,
            Arriving arriving) {
        this.id = id;
        this.reqId = reqId;
        this.session = session;
        this.allocation = allocation;
        this.allocReply = allocReply;
        this.arrivals = arriving.arrivals();
        this.rank = arriving.rank();
        this.leaseEndNanos = arriving.leaseEndNanos();
        for (int chunk = 0; chunk < allocation.size(); chunk++) {
            chunkByKey.putIfAbsent(allocation.keys().get(chunk).value(), chunk);
        }
    }

    /** Names a transfer: sender, its incarnation, and the transfer id it chose. */
    record Id(String senderId, String incarnation, String transferId) {}

    /** Where a complete transfer goes, and until when an incomplete one lives. */
    record Arriving(KvArrivals arrivals, int rank, long leaseEndNanos) {}

    Id id() {
        return id;
    }

    String reqId() {
        return reqId;
    }

    InboundSession session() {
        return session;
    }

    Allocation allocation() {
        return allocation;
    }

    /** The answer to the allocation, for a repeat of it. */
    TransferReply.Alloc allocReply() {
        return allocReply;
    }

    synchronized boolean open() {
        return !complete && end == null;
    }

    synchronized String stateLabel() {
        if (complete) {
            return "COMPLETE";
        }
        return end == null ? "OPEN" : end.code().name();
    }

    synchronized Optional<TransferException> end() {
        return Optional.ofNullable(end);
    }

    synchronized void renew(long newLeaseEndNanos) {
        leaseEndNanos = newLeaseEndNanos;
    }

    synchronized long leaseEndNanos() {
        return leaseEndNanos;
    }

    /** Whether the outcome may be forgotten: it has been known since before {@code nanos}. */
    synchronized boolean endedBefore(long nanos) {
        return (complete || end != null) && endedNanos - nanos < 0;
    }

    /**
     * What a commit did.
     *
     * @param badIndexes positions in the request's keys whose bytes are not what the sender says
     * @param chunks that became visible by it
     * @param bytes of those chunks
     */
    record Committed(List<Long> badIndexes, int chunks, long bytes) {}

    /**
     * Makes pages visible whose bytes are what the sender says they are. A repeat finds them visible and is answered
     * like the first time.
     *
     * @throws TransferException when the transfer has ended or the request does not match the allocation
     */
    Committed commit(TransferRequest.Commit request) {
        requireSameLength("crc32c", request.crc32c(), request);
        requireSameLength("write_tokens", request.writeTokens(), request);
        var badIndexes = new ArrayList<Long>();
        int chunks = 0;
        long bytes = 0;
        for (int i = 0; i < request.keys().size(); i++) {
            int chunk = chunk(request.keys().get(i));
            switch (commit(request, i, chunk)) {
                case BAD -> badIndexes.add((long) i);
                case NEW -> {
                    chunks++;
                    bytes += allocation.bytes(chunk);
                }
                case KNOWN -> {}
            }
        }
        return new Committed(badIndexes, chunks, bytes);
    }

    private enum Verdict {
        NEW,
        KNOWN,
        BAD
    }

    private Verdict commit(TransferRequest.Commit request, int index, int chunk) {
        if (allocation.present(chunk)) {
            return Verdict.KNOWN;
        }
        if (allocation.token(chunk) != request.writeTokens().get(index)) {
            throw new TransferException(
                    ErrorCode.STALE,
                    "transfer %s: write token of chunk %d is not the allocated one".formatted(id.transferId(), chunk));
        }
        if (isCommitted(chunk)) {
            return Verdict.KNOWN;
        }
        boolean good = request.crc32c().isEmpty()
                || Checksum.of(allocation.page(chunk), allocation.bytes(chunk))
                        == request.crc32c().get(index);
        requireOpen();
        if (!good) {
            return Verdict.BAD;
        }
        if (allocation.commit(chunk) == CommitOutcome.REFUSED) {
            requireOpen();
            throw bad("chunk %d can no longer be committed".formatted(chunk));
        }
        return markCommitted(chunk) ? Verdict.NEW : Verdict.KNOWN;
    }

    private synchronized boolean isCommitted(int chunk) {
        return committed.get(chunk);
    }

    private synchronized boolean markCommitted(int chunk) {
        boolean first = !committed.get(chunk);
        committed.set(chunk);
        return first;
    }

    private int chunk(String key) {
        Integer chunk = chunkByKey.get(key);
        if (chunk == null) {
            throw bad("key %s was not allocated".formatted(key));
        }
        return chunk;
    }

    private void requireSameLength(String field, List<Long> values, TransferRequest.Commit request) {
        boolean optional = field.equals("crc32c") && values.isEmpty();
        if (!optional && values.size() != request.keys().size()) {
            throw bad("%d values of %s for %d keys"
                    .formatted(values.size(), field, request.keys().size()));
        }
    }

    private synchronized void requireOpen() {
        if (end != null) {
            throw new TransferException(end.code(), String.valueOf(end.getMessage()), end);
        }
    }

    private TransferException bad(String what) {
        return new TransferException(ErrorCode.BAD_REQUEST, "transfer %s: %s".formatted(id.transferId(), what));
    }

    /** Hands the pins to the request that waits, once every chunk is committed. */
    void complete(long nowNanos) {
        synchronized (this) {
            if (complete || end != null) {
                return;
            }
            complete = true;
            endedNanos = nowNanos;
        }
        session.detach(this);
        arrivals.committed(reqId, rank, allocation);
    }

    /**
     * Ends an open transfer: its pages are quarantined and its request learns the cause at once. The pages are freed
     * by {@link #fenced}.
     *
     * @return false if it had ended or completed before
     */
    boolean revoke(TransferException cause, long nowNanos) {
        synchronized (this) {
            if (complete || end != null) {
                return false;
            }
            end = cause;
            endedNanos = nowNanos;
        }
        allocation.quarantine();
        arrivals.failed(reqId, cause);
        return true;
    }

    @Override
    public void revoked(TransferException cause) {
        revoke(
                new TransferException(ErrorCode.PEER_LOST, "sender lost: " + cause.getMessage(), cause),
                System.nanoTime());
    }

    @Override
    public void fenced() {
        allocation.close();
    }
}
