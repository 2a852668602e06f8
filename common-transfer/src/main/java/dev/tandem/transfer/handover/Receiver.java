package dev.tandem.transfer.handover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.memory.Allocation;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.peer.InboundPeers;
import dev.tandem.transfer.peer.InboundSession;
import dev.tandem.transfer.wire.Stamp;
import dev.tandem.transfer.wire.TransferReply;
import dev.tandem.transfer.wire.TransferRequest;

/**
 * Answers a rank's alloc port: reserves pages for senders, makes committed chunks visible, and takes back what a sender
 * gave up or let expire.
 *
 * <p>Thread-safe; {@link #answer} may block up to the allocation wait. {@link #sweep} must be called now and then.
 */
public final class Receiver implements TransferLog {

    private final ReceiverSettings settings;
    private final InboundPeers peers;
    private final ChunkStore store;
    private final KvArrivals arrivals;
    private final TransferMetrics metrics;
    private final BooleanSupplier draining;
    private final LongSupplier nanoClock;
    private final ChunkCheck check;
    private final Map<IncomingTransfer.Id, IncomingTransfer> transfers = new ConcurrentHashMap<>();
    private final Map<IncomingTransfer.Id, Long> abandoned = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<ForeignAllocation> foreign = new ConcurrentLinkedQueue<>();
    private final AtomicInteger foreignPages = new AtomicInteger();

    public Receiver(
            ReceiverSettings settings,
            InboundPeers peers,
            ChunkStore store,
            KvArrivals arrivals,
            BooleanSupplier draining,
            TransferMetrics metrics,
            LongSupplier nanoClock) {
        this.settings = settings;
        this.peers = peers;
        this.store = store;
        this.arrivals = arrivals;
        this.draining = draining;
        this.metrics = metrics;
        this.nanoClock = nanoClock;
        this.check = new ChunkCheck(settings.layout(), settings.maxKeys());
    }

    /** An allocation by a sender that cannot commit; no Tandem connection exists to write it. */
    private record ForeignAllocation(Allocation allocation, int pages, long leaseEndNanos) {}

    /**
     * Does what a sender asks.
     *
     * @throws TransferException the refusal, to be told with {@link #refusal}
     */
    public TransferReply answer(TransferRequest<?> request) throws InterruptedException {
        return switch (request) {
            case TransferRequest.Alloc alloc when alloc.commit() -> allocate(alloc);
            case TransferRequest.Alloc alloc -> allocateForeign(alloc);
            case TransferRequest.Commit commit -> commit(commit);
            case TransferRequest.Abort abort -> abort(abort);
            case TransferRequest.Heartbeat heartbeat -> heartbeat(heartbeat);
            case TransferRequest.PullReady _ ->
                throw new TransferException(ErrorCode.BAD_REQUEST, "this receiver is in push mode: it reads no pages");
        };
    }

    /** The reply that refuses a request, in its own shape. */
    public static TransferReply refusal(TransferRequest<?> request, TransferException cause) {
        String code = cause.code().name();
        String message = cause.message();
        return switch (request) {
            case TransferRequest.Alloc _ -> TransferReply.Alloc.failed(code, message);
            case TransferRequest.Commit _ -> new TransferReply.Commit(false, List.of(), code, message);
            case TransferRequest.Abort _ -> new TransferReply.Abort(false, code, message);
            case TransferRequest.Heartbeat _ -> new TransferReply.Heartbeat("", "", List.of(), false, code, message);
            case TransferRequest.PullReady _ -> new TransferReply.PullAck(List.of(), true, code, message);
        };
    }

    private TransferReply.Alloc allocate(TransferRequest.Alloc request) throws InterruptedException {
        InboundSession session = peers.authorize(request.stamp());
        var id = id(request.stamp(), request.transferId());
        IncomingTransfer known = transfers.get(id);
        if (known != null) {
            return known.allocReply();
        }
        requireWholeTransfer(request);
        Allocation allocation = reserve(request.chunks());
        var reply = reply(allocation, true);
        long leaseEnd = nanoClock.getAsLong() + settings.lease().toNanos();
        var transfer = new IncomingTransfer(
                id,
                request.reqId().isEmpty() ? request.transferId() : request.reqId(),
                session,
                allocation,
                reply,
                new IncomingTransfer.Arriving(arrivals, settings.rank(), leaseEnd));
        return admit(transfer);
    }

    private TransferReply.Alloc admit(IncomingTransfer transfer) {
        IncomingTransfer earlier = transfers.putIfAbsent(transfer.id(), transfer);
        if (earlier != null) {
            transfer.allocation().close();
            return earlier.allocReply();
        }
        try {
            transfer.session().attach(transfer);
        } catch (TransferException e) {
            transfers.remove(transfer.id());
            transfer.allocation().close();
            throw e;
        }
        if (abandoned.containsKey(transfer.id())) {
            giveBack(transfer, new TransferException(ErrorCode.ABORTED, "the sender gave up before it was granted"));
        }
        return transfer.allocReply();
    }

    private void requireWholeTransfer(TransferRequest.Alloc request) {
        if (draining.getAsBoolean()) {
            throw new TransferException(ErrorCode.DRAINING, "this receiver is draining: choose another");
        }
        if (request.transferId().isEmpty()) {
            throw new TransferException(ErrorCode.BAD_REQUEST, "transfer_id: empty, though commit is true");
        }
        if (request.totalChunks() != request.chunks().keys().size()) {
            throw new TransferException(
                    ErrorCode.BAD_REQUEST,
                    "total_chunks: %d, but %d keys: name every key in the first request"
                            .formatted(
                                    request.totalChunks(),
                                    request.chunks().keys().size()));
        }
    }

    private Allocation reserve(TransferRequest.Chunks chunks) throws InterruptedException {
        List<ChunkKey> keys = check.keys(chunks);
        long[] bytes = check.bytes(chunks);
        long started = nanoClock.getAsLong();
        try {
            return store.allocate(keys, bytes, Deadline.after(settings.allocWait(), nanoClock));
        } catch (TransferException e) {
            metrics.allocFailed(e.code());
            throw e;
        } finally {
            metrics.allocWaited(Duration.ofNanos(nanoClock.getAsLong() - started));
        }
    }

    /** Upstream's plain request: answered by protocol, kept until its lease ends, never visible to readers. */
    private TransferReply.Alloc allocateForeign(TransferRequest.Alloc request) throws InterruptedException {
        int pages = request.chunks().keys().size();
        check.keys(request.chunks());
        if (foreignPages.addAndGet(pages) > settings.foreignPages()) {
            foreignPages.addAndGet(-pages);
            throw new TransferException(
                    ErrorCode.POOL_FULL,
                    "senders that cannot commit may hold %d pages in all".formatted(settings.foreignPages()));
        }
        try {
            Allocation allocation = reserve(request.chunks());
            metrics.foreignAllocation();
            long leaseEnd = nanoClock.getAsLong() + settings.lease().toNanos();
            foreign.add(new ForeignAllocation(allocation, pages, leaseEnd));
            return reply(allocation, false);
        } catch (TransferException | InterruptedException e) {
            foreignPages.addAndGet(-pages);
            throw e;
        }
    }

    private TransferReply.Alloc reply(Allocation allocation, boolean tandem) {
        var present = new ArrayList<Long>();
        var indexes = new ArrayList<Long>();
        var buffers = new ArrayList<String>();
        var tokens = new ArrayList<Long>();
        for (int chunk = 0; chunk < allocation.size(); chunk++) {
            if (allocation.present(chunk)) {
                present.add((long) chunk);
            } else {
                indexes.add((long) allocation.page(chunk).ref().index());
                buffers.add(allocation.page(chunk).ref().buffer());
                tokens.add(allocation.token(chunk));
            }
        }
        metrics.chunksReused(present.size());
        return new TransferReply.Alloc(
                present,
                indexes,
                buffers,
                false,
                tandem ? settings.lease().toMillis() : 0,
                tandem ? tokens : List.of(),
                "",
                "");
    }

    private TransferReply.Commit commit(TransferRequest.Commit request) {
        peers.authorize(request.stamp());
        IncomingTransfer transfer = find(request.stamp(), request.transferId());
        IncomingTransfer.Committed committed = transfer.commit(request);
        metrics.bytesMoved("received", transfer.session().channel().kind().wireName(), committed.bytes());
        metrics.chunksMoved("received", committed.chunks());
        List<Long> bad = committed.badIndexes();
        if (!bad.isEmpty()) {
            bad.forEach(_ -> metrics.checksumMismatch());
            return new TransferReply.Commit(
                    false,
                    bad,
                    ErrorCode.CHECKSUM_MISMATCH.name(),
                    "%d chunks differ from their checksums".formatted(bad.size()));
        }
        if (request.lastBatch()) {
            finish(transfer);
        }
        return new TransferReply.Commit(true, List.of(), "", "");
    }

    private void finish(IncomingTransfer transfer) {
        if (!transfer.allocation().complete()) {
            throw new TransferException(
                    ErrorCode.BAD_REQUEST,
                    "transfer %s: is_last_batch, but not every chunk is committed"
                            .formatted(transfer.id().transferId()));
        }
        transfer.complete(nanoClock.getAsLong());
    }

    /** An abort may overtake the allocation it is about, so it is remembered for a while. */
    private TransferReply.Abort abort(TransferRequest.Abort request) {
        peers.authorize(request.stamp());
        IncomingTransfer.Id id = id(request.stamp(), request.transferId());
        abandoned.put(id, nanoClock.getAsLong());
        IncomingTransfer transfer = transfers.get(id);
        if (transfer != null) {
            giveBack(transfer, new TransferException(ErrorCode.ABORTED, "the sender gave up: " + request.reason()));
        }
        return new TransferReply.Abort(true, "", "");
    }

    private void giveBack(IncomingTransfer transfer, TransferException cause) {
        if (transfer.revoke(cause, nanoClock.getAsLong())) {
            transfer.session().detach(transfer);
            transfer.fenced();
        }
    }

    private TransferReply.Heartbeat heartbeat(TransferRequest.Heartbeat request) {
        InboundSession session = peers.authorize(request.stamp());
        session.heard(request.state());
        long leaseEnd = nanoClock.getAsLong() + settings.lease().toNanos();
        transfers.values().stream()
                .filter(transfer -> transfer.session() == session)
                .forEach(transfer -> transfer.renew(leaseEnd));
        return new TransferReply.Heartbeat(
                settings.incarnation().value(),
                draining.getAsBoolean() ? "draining" : "ready",
                List.of(),
                true,
                "",
                "");
    }

    private IncomingTransfer find(Stamp stamp, String transferId) {
        IncomingTransfer transfer = transfers.get(id(stamp, transferId));
        if (transfer == null) {
            metrics.staleMessageRejected("transfer");
            throw new TransferException(
                    ErrorCode.UNKNOWN_TRANSFER, "transfer %s: never allocated, or long over".formatted(transferId));
        }
        return transfer;
    }

    private static IncomingTransfer.Id id(Stamp stamp, String transferId) {
        return new IncomingTransfer.Id(stamp.senderId(), stamp.incarnation(), transferId);
    }

    /** Ends leases that were not renewed and sessions that fell silent; forgets old outcomes. */
    public void sweep() {
        long now = nanoClock.getAsLong();
        transfers.values().stream()
                .filter(transfer -> transfer.open() && transfer.leaseEndNanos() - now < 0)
                .forEach(transfer -> expire(transfer, now));
        long forgetBefore = now - settings.rememberOutcomes().toNanos();
        transfers.values().removeIf(transfer -> transfer.endedBefore(forgetBefore));
        abandoned.values().removeIf(since -> since - forgetBefore < 0);
        peers.sessions().stream()
                .filter(session -> session.isReady() && session.silence().compareTo(settings.lease()) > 0)
                .forEach(session -> session.end(
                        new TransferException(ErrorCode.PEER_LOST, "no heartbeat for %s".formatted(settings.lease()))));
        sweepForeign(now);
        arrivals.sweep();
    }

    /**
     * Where the fabric asks before each write, a stale token is refused and the pages are safe at once unless a write
     * is under way; otherwise only the end of the connection makes them so.
     */
    private void expire(IncomingTransfer transfer, long now) {
        var cause = new TransferException(
                ErrorCode.LEASE_EXPIRED, "the sender did not renew its lease within %s".formatted(settings.lease()));
        if (!transfer.revoke(cause, now)) {
            return;
        }
        metrics.leaseExpired();
        if (transfer.session().channel().kind().guarded()
                && !transfer.allocation().writing()) {
            transfer.session().detach(transfer);
            transfer.fenced();
        } else {
            transfer.session().end(cause);
        }
    }

    private void sweepForeign(long now) {
        for (ForeignAllocation each; (each = foreign.peek()) != null && each.leaseEndNanos() - now < 0; ) {
            foreign.remove(each);
            each.allocation().close();
            foreignPages.addAndGet(-each.pages());
            metrics.leaseExpired();
        }
    }

    /** Transfers that are open, and those whose outcome is still remembered. */
    @Override
    public List<TransferView> transfers() {
        return transfers.values().stream().map(this::view).toList();
    }

    private TransferView view(IncomingTransfer transfer) {
        Optional<TransferException> end = transfer.end();
        long leaseLeft = transfer.open() ? Math.max(0, transfer.leaseEndNanos() - nanoClock.getAsLong()) : 0;
        return new TransferView(
                transfer.id().transferId(),
                transfer.reqId(),
                transfer.id().senderId(),
                "incoming",
                transfer.stateLabel(),
                transfer.allocation().size(),
                Duration.ofNanos(leaseLeft),
                end.map(TransferException::getMessage).orElse(""));
    }

    /** Transfers whose pages are reserved for a sender. */
    public int openTransfers() {
        return (int) transfers.values().stream().filter(IncomingTransfer::open).count();
    }
}
