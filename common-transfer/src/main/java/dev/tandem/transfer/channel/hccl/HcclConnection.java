package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

/**
 * One communicator and the transfers on it. It dies once: the first cause shuts the gate, and a thread of its own waits
 * for the transfers under way and then leaves the registry, after which no byte can land. That is what {@link #fence}
 * waits for.
 */
final class HcclConnection implements Connection {

    private static final Logger log = LoggerFactory.getLogger(HcclConnection.class);

    /** What a transfer under way gets once the connection has died. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    /** How much later than its deadline a transfer may end, as the lane serves others too. */
    private static final Duration LANE = Duration.ofSeconds(2);

    private static final Duration TEAR_DOWN = Duration.ofSeconds(60);

    private final HcclNode node;
    private final Communicator communicator;
    private final ProbePage.Target probeTarget;
    private final Gate gate = new Gate();
    private final Queue<DescriptorArray> spareDescriptors = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Death> death = new AtomicReference<>();
    private final CompletableFuture<ChannelException> closed = new CompletableFuture<>();
    private final CompletableFuture<Boolean> fenced = new CompletableFuture<>();
    private volatile List<RemoteRegion> imported = List.of();
    private volatile boolean active;
    private volatile long usedNanos = System.nanoTime();

    /** @param drained when transfers under way must have ended */
    private record Death(ChannelException cause, Deadline drained) {}

    /** @param communicator prepared, on room that was acquired for it; belongs to the connection now */
    HcclConnection(HcclNode node, Communicator communicator, ProbePage.Target probeTarget) {
        this.node = node;
        this.communicator = communicator;
        this.probeTarget = probeTarget;
        this.active = communicator.isClient();
    }

    @Override
    public List<RemoteRegion> importMemory(byte[] handles) {
        imported = RegisteredMemory.imported(handles);
        return imported;
    }

    @Override
    public void write(TransferBatch batch, Deadline deadline) {
        requireKnown(batch);
        transfer(Transfer.Kind.PUT, batch, deadline);
    }

    @Override
    public void read(TransferBatch batch, Deadline deadline) {
        requireKnown(batch);
        transfer(Transfer.Kind.GET, batch, deadline);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Asks the library for failures of this communicator, then gets the random number from the peer's probe page
     * over the same stream that transfers use: only the greeted process has that number.
     */
    @Override
    public void probe(Deadline deadline) {
        long used = usedNanos;
        try {
            long slot = node.probePage().clearedSlot(deadline);
            TransferBatch batch = new TransferBatch();
            batch.add(node.probePage().region(), slot, probeTarget.region(), 0, ProbePage.NUMBER_BYTES, 0);
            transfer(Transfer.Kind.PROBE, batch, deadline);
            if (!node.probePage().holds(slot, probeTarget.number(), deadline)) {
                throw new ChannelException(Reason.BROKEN, this + ": not the process that was greeted");
            }
        } catch (ChannelException e) {
            die(e);
            throw e;
        } finally {
            usedNanos = used;
        }
    }

    @Override
    public CompletableFuture<ChannelException> closed() {
        return closed.copy();
    }

    @Override
    public boolean fence(Deadline deadline) {
        close();
        try {
            return Outcomes.await(this + ": fence", fenced, deadline);
        } catch (ChannelException e) {
            return false;
        }
    }

    @Override
    public void close() {
        die(new ChannelException(Reason.CLOSED, this + ": closed"));
    }

    /** Closes it unless it is in use. Does not wait. */
    boolean closeIfIdle() {
        boolean idle = active && death.get() == null && gate.shutIfEmpty();
        if (idle) {
            die(new ChannelException(
                    Reason.CLOSED, "%s: closed, idle for %d ms".formatted(this, idleNanos() / 1_000_000)));
        }
        return idle;
    }

    /** Since this side last used it. */
    long idleNanos() {
        return System.nanoTime() - usedNanos;
    }

    /** Ends the connection; only the first cause counts. Does not wait. */
    void die(ChannelException cause) {
        if (death.compareAndSet(null, new Death(cause, Deadline.after(GRACE)))) {
            gate.shut();
            node.connections().remove(this);
            // What others do then must hold up neither the lane nor the tear-down.
            CompletableFuture<ChannelException> _ = closed.completeAsync(() -> cause, Thread::startVirtualThread);
            node.threads().start("hccl-close-" + communicator.name(), this::tearDown);
        }
    }

    Optional<ChannelException> causeOfDeath() {
        return Optional.ofNullable(death.get()).map(Death::cause);
    }

    /** When a transfer must have ended, of which the deadline was given. */
    Deadline limit(Deadline deadline) {
        Death dead = death.get();
        return dead == null || deadline.remainingNanos() < dead.drained().remainingNanos() ? deadline : dead.drained();
    }

    Communicator communicator() {
        return communicator;
    }

    Gate gate() {
        return gate;
    }

    private void transfer(Transfer.Kind kind, TransferBatch batch, Deadline deadline) {
        DescriptorArray spare = spareDescriptors.poll();
        DescriptorArray descriptors = spare == null ? new DescriptorArray() : spare;
        descriptors.fill(batch);
        run(new Transfer(kind, this, descriptors, deadline, new CompletableFuture<>()));
        // Not after a failure: the native side may still read them.
        spareDescriptors.add(descriptors);
        active = true;
        usedNanos = System.nanoTime();
    }

    private void run(Transfer transfer) {
        if (!gate.enter()) {
            throw causeOfDeath()
                    .map(cause -> new ChannelException(cause.reason(), String.valueOf(cause.getMessage()), cause))
                    .orElseGet(() -> new ChannelException(Reason.CLOSED, this + ": closed"));
        }
        node.lane().submit(transfer);
        try {
            Duration longest = transfer.deadline().remaining().plus(LANE);
            Outcomes.await(toString(), transfer.outcome(), Deadline.after(longest));
        } catch (ChannelException e) {
            die(e);
            throw e;
        }
    }

    /** Looks a region up once for a run of entries that share it. */
    private void requireKnown(TransferBatch batch) {
        List<RemoteRegion> regions = imported;
        for (int entry = 0; entry < batch.size(); entry++) {
            if (entry == 0 || !batch.remote(entry).equals(batch.remote(entry - 1))) {
                requireImported(batch.remote(entry), regions);
            }
            if (entry == 0 || !batch.local(entry).equals(batch.local(entry - 1))) {
                node.memory().requireShared(batch.local(entry));
            }
        }
    }

    private void requireImported(RemoteRegion region, List<RemoteRegion> regions) {
        if (region.index() >= regions.size() || !region.equals(regions.get(region.index()))) {
            throw new IllegalArgumentException("%s: region %s is not of this connection".formatted(this, region.id()));
        }
    }

    private void tearDown() {
        boolean gone = false;
        try {
            chooseDeviceIfItIsThere();
            gone = gate.awaitEmpty(Deadline.after(TEAR_DOWN)) && communicator.leave(Deadline.after(TEAR_DOWN));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            fenced.complete(gone);
        }
        if (gone) {
            node.connections().release();
            communicator.destroyStream();
        } else {
            log.atError().addKeyValue("communicator", communicator.name()).log("hccl communicator is left over");
        }
    }

    /** A lost device's communicator must still give its name back. */
    private void chooseDeviceIfItIsThere() {
        try {
            node.threads().chooseDevice();
        } catch (ChannelException e) {
            log.atWarn().addKeyValue("communicator", communicator.name()).log(e.getMessage());
        }
    }

    @Override
    public String toString() {
        return "hccl " + communicator.name();
    }
}
