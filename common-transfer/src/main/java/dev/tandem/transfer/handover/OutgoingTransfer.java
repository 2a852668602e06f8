package dev.tandem.transfer.handover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.TransferId;
import dev.tandem.transfer.TransferMode;
import dev.tandem.transfer.channel.TransferBatch;
import dev.tandem.transfer.memory.Page;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.peer.OutboundSession;
import dev.tandem.transfer.peer.PeerInitService;
import dev.tandem.transfer.wire.TransferReply;
import dev.tandem.transfer.wire.TransferRequest;

/**
 * One handover at its sender. Its story runs top to bottom on a platform thread of its own: greet, reserve, then write
 * and commit chunks as they are computed.
 *
 * <p>{@link #write}, {@link #finish} and {@link #close} are called by the request's thread. Nothing is written after
 * {@link #close} has returned, so the pages may be reused then.
 */
public final class OutgoingTransfer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OutgoingTransfer.class);

    /** Refusals that mean that the session was over before anything was reserved: greet again, once. */
    private static final Set<ErrorCode> GREET_AGAIN = Set.of(
            ErrorCode.UNKNOWN_PEER,
            ErrorCode.STALE,
            ErrorCode.SUPERSEDED,
            ErrorCode.NOT_AUTHORIZED,
            ErrorCode.PEER_LOST);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TransferId id = TransferId.random();
    private final Handover handover;
    private final PeerInitService peers;
    private final Sender.Settings settings;
    private final TransferMetrics metrics;
    private final Consumer<OutgoingTransfer> ended;
    private final CompletableFuture<TransferOutcome> outcome = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Page[] pages;
    private final BitSet computed = new BitSet();
    private boolean cancelled;
    private @Nullable Thread waiting;
    private long lastComputedNanos = System.nanoTime();

    OutgoingTransfer(
            Handover handover,
            PeerInitService peers,
            Sender.Settings settings,
            TransferMetrics metrics,
            Consumer<OutgoingTransfer> ended) {
        this.handover = handover;
        this.peers = peers;
        this.settings = settings;
        this.metrics = metrics;
        this.ended = ended;
        this.pages = new Page[handover.keys().size()];
    }

    void start() {
        metrics.transferBegan();
        Thread.ofPlatform().daemon().name("transfer-" + handover.reqId()).start(this::run);
    }

    public TransferId id() {
        return id;
    }

    /** Chunk {@code chunk} is computed: write it as soon as may be. The page stays as it is until this is closed. */
    public void write(int chunk, Page page) {
        lock.lock();
        try {
            pages[chunk] = page;
            computed.set(chunk);
            lastComputedNanos = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the receiver has committed every chunk.
     *
     * @throws TransferException why it has not, TIMEOUT at the handover's deadline
     */
    public TransferOutcome finish() throws InterruptedException {
        try {
            return outcome.get(handover.deadline().remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw TransferException.of(e);
        } catch (TimeoutException e) {
            throw new TransferException(ErrorCode.TIMEOUT, "transfer %s: not done by its deadline".formatted(id), e);
        }
    }

    /** Completes, with the outcome or exceptionally with a {@link TransferException}. */
    public CompletableFuture<TransferOutcome> outcome() {
        return outcome;
    }

    /** Aborts the transfer unless it is done, and waits until nothing of it is written any more. */
    @Override
    public void close() {
        lock.lock();
        try {
            cancelled = true;
            changed.signalAll();
            if (waiting != null) {
                waiting.interrupt();
            }
        } finally {
            lock.unlock();
        }
        stopped.join();
    }

    TransferView view() {
        return new TransferView(
                id.value(),
                handover.reqId(),
                handover.receiver().toString(),
                "outgoing",
                outcome.isDone() ? "DONE" : "OPEN",
                handover.keys().size(),
                Duration.ZERO,
                "");
    }

    private void run() {
        long started = System.nanoTime();
        try {
            TransferOutcome done = tell(open());
            metrics.transferDone(
                    TransferMode.PUSH, done.channel().wireName(), Duration.ofNanos(System.nanoTime() - started));
            metrics.transferExposed(done.exposed());
            outcome.complete(done);
        } catch (TransferException e) {
            fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(new TransferException(ErrorCode.INTERNAL, "transfer %s: shut down".formatted(id), e));
        } catch (RuntimeException e) {
            fail(new TransferException(ErrorCode.INTERNAL, "transfer %s: %s".formatted(id, e), e));
        } finally {
            ended.accept(this);
            stopped.complete(null);
        }
    }

    private void fail(TransferException cause) {
        log.warn(
                "transfer failed: request {} peer {} code {}: {}",
                handover.reqId(),
                handover.receiver(),
                cause.code(),
                cause.getMessage());
        metrics.transferFailed(cause.code());
        outcome.completeExceptionally(cause);
    }

    private TransferOutcome tell(Reserved reserved) throws InterruptedException {
        try {
            return new Story(reserved).tell();
        } catch (TransferException e) {
            abort(reserved.session(), e);
            throw e;
        }
    }

    /** Something that waits for the receiver and may be interrupted, which writing to it may not. */
    private interface Wait<T> {
        T get() throws InterruptedException;
    }

    /** Waits unless, or until, the transfer is cancelled. */
    private <T> T unlessCancelled(Wait<T> wait) throws InterruptedException {
        lock.lock();
        try {
            if (cancelled) {
                throw cancellation();
            }
            waiting = Thread.currentThread();
        } finally {
            lock.unlock();
        }
        try {
            return wait.get();
        } catch (InterruptedException e) {
            if (stopWaiting()) {
                throw cancellation();
            }
            throw e;
        } finally {
            stopWaiting();
        }
    }

    /** @return whether the transfer is cancelled; its interrupt, if any, is used up */
    private boolean stopWaiting() {
        lock.lock();
        try {
            waiting = null;
            if (cancelled) {
                Thread.interrupted();
            }
            return cancelled;
        } finally {
            lock.unlock();
        }
    }

    private TransferException cancellation() {
        return new TransferException(ErrorCode.ABORTED, "transfer %s: cancelled".formatted(id));
    }

    /**
     * Tells the receiver that nothing is or will be written. If it does not confirm that, the session ends, so that the
     * reservation cannot outlive it.
     */
    private void abort(OutboundSession session, TransferException cause) throws InterruptedException {
        if (session.lost().isDone()) {
            return;
        }
        try {
            session.ask(
                    handover.allocPort(),
                    new TransferRequest.Abort(id.value(), session.greeted().stamp(), cause.message()),
                    Deadline.after(settings.requestTimeout()));
        } catch (TransferException e) {
            log.warn("peer {}: abort of {} not confirmed: {}", handover.receiver(), id, e.getMessage());
            if (e.code() != ErrorCode.UNKNOWN_TRANSFER) {
                session.lose(e);
            }
        }
    }

    /** What the receiver granted, and the session it granted it to. */
    private record Reserved(OutboundSession session, TransferReply.Alloc grant) {}

    private Reserved open() throws InterruptedException {
        try {
            return reserve();
        } catch (TransferException e) {
            if (!GREET_AGAIN.contains(e.code())) {
                throw e;
            }
            log.info("peer {}: {}; greeting again", handover.receiver(), e.getMessage());
            return reserve();
        }
    }

    private Reserved reserve() throws InterruptedException {
        OutboundSession session = unlessCancelled(() -> peers.ready(handover.receiver(), handover.deadline()));
        var request = new TransferRequest.Alloc(
                chunks(),
                handover.reqId(),
                true,
                handover.keys().size(),
                session.greeted().stamp(),
                id.value(),
                true);
        Deadline deadline = handover.deadline().atMost(settings.requestTimeout());
        try {
            return new Reserved(session, unlessCancelled(() -> session.ask(handover.allocPort(), request, deadline)));
        } catch (TransferException e) {
            if (e.code() == ErrorCode.TIMEOUT || e.code() == ErrorCode.ABORTED) {
                abort(session, e);
            }
            throw e;
        }
    }

    private TransferRequest.Chunks chunks() {
        return new TransferRequest.Chunks(
                handover.keys().stream().map(ChunkKey::value).toList(),
                handover.layout().format().number(),
                handover.layout().shape().stream().map(Integer::longValue).toList(),
                handover.layout().dataType().wireName(),
                handover.lastChunkTokens());
    }

    /** Writing and committing what was reserved. Used by the transfer's thread alone. */
    private final class Story {

        private final OutboundSession session;
        private final Grant grant;
        private final TransferBatch batch = new TransferBatch();
        private final BitSet pending = new BitSet();
        private int written;
        private long bytes;

        Story(Reserved reserved) {
            this.session = reserved.session();
            this.grant = Grant.of(reserved.grant(), handover.keys().size(), session);
            pending.set(0, handover.keys().size());
            grant.present().stream().forEach(pending::clear);
        }

        TransferOutcome tell() throws InterruptedException {
            if (pending.isEmpty()) {
                commit(new BitSet());
            }
            while (!pending.isEmpty()) {
                BitSet next = unlessCancelled(this::awaitComputed);
                write(next);
                pending.andNot(next);
                commit(next);
            }
            return new TransferOutcome(
                    written,
                    grant.present().cardinality(),
                    bytes,
                    session.greeted().channel(),
                    Duration.ofNanos(System.nanoTime() - lastComputed()));
        }

        private void write(BitSet chunks) {
            batch.clear();
            chunks.stream().forEach(this::add);
            session.connection().write(batch, Deadline.after(settings.writeTimeout()));
            written += batch.size();
            bytes += batch.totalBytes();
            metrics.bytesMoved("sent", session.greeted().channel().wireName(), batch.totalBytes());
            metrics.chunksMoved("sent", batch.size());
        }

        private void add(int chunk) {
            Page page = pages[chunk];
            batch.add(
                    page.region(),
                    page.offset(),
                    grant.region(chunk),
                    grant.offset(chunk, handover.layout().pageBytes()),
                    handover.bytes(chunk),
                    grant.token(chunk));
        }

        /** A chunk that arrived damaged is written once more. */
        private void commit(BitSet chunks) throws InterruptedException {
            BitSet bad = tryCommit(chunks);
            if (bad.isEmpty()) {
                return;
            }
            write(bad);
            if (!tryCommit(chunks).isEmpty()) {
                throw new TransferException(
                        ErrorCode.CHECKSUM_MISMATCH, "transfer %s: chunks %s arrived damaged twice".formatted(id, bad));
            }
        }

        /** @return the chunks that arrived damaged */
        private BitSet tryCommit(BitSet chunks) throws InterruptedException {
            var order = chunks.stream().boxed().toList();
            var keys = new ArrayList<String>();
            var tokens = new ArrayList<Long>();
            var sums = new ArrayList<Long>();
            for (int chunk : order) {
                keys.add(handover.keys().get(chunk).value());
                tokens.add(grant.token(chunk));
                if (settings.checksum() && pages[chunk].region().kind() == MemoryKind.HOST) {
                    sums.add(Checksum.of(pages[chunk], handover.bytes(chunk)));
                }
            }
            TransferReply.Commit reply = ask(new TransferRequest.Commit(
                    id.value(), session.greeted().stamp(), keys, tokens, sums, pending.isEmpty()));
            var bad = new BitSet();
            for (long index : reply.badIndexes()) {
                bad.set(order.get(Math.toIntExact(index)));
            }
            return bad;
        }

        /** A commit whose answer was lost is repeated: the receiver remembers its outcome. */
        private TransferReply.Commit ask(TransferRequest.Commit commit) throws InterruptedException {
            try {
                return unlessCancelled(() -> session.ask(handover.allocPort(), commit, commitDeadline()));
            } catch (TransferException e) {
                if (e.code() != ErrorCode.TIMEOUT || handover.deadline().hasPassed()) {
                    throw e;
                }
                return unlessCancelled(() -> session.ask(handover.allocPort(), commit, commitDeadline()));
            }
        }

        private Deadline commitDeadline() {
            return handover.deadline().atMost(settings.requestTimeout());
        }

        /** The chunks that are computed and not written yet; looks at the session now and then, since it may be lost. */
        private BitSet awaitComputed() throws InterruptedException {
            lock.lock();
            try {
                for (; ; ) {
                    requireGoingOn();
                    var next = (BitSet) computed.clone();
                    next.and(pending);
                    if (!next.isEmpty()) {
                        return next;
                    }
                    if (changed.awaitNanos(LOOK_NANOS) <= 0) {
                        log.debug("transfer {}: nothing computed for {} ns", id, LOOK_NANOS);
                    }
                }
            } finally {
                lock.unlock();
            }
        }

        private void requireGoingOn() {
            if (cancelled) {
                throw cancellation();
            }
            if (session.lost().isDone()) {
                throw session.lost().join();
            }
            if (handover.deadline().hasPassed()) {
                throw new TransferException(
                        ErrorCode.TIMEOUT, "transfer %s: not computed by its deadline".formatted(id));
            }
        }

        private long lastComputed() {
            lock.lock();
            try {
                return lastComputedNanos;
            } finally {
                lock.unlock();
            }
        }
    }
}
