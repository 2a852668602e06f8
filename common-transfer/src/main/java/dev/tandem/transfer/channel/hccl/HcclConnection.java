package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

/** Transfers over one communicator. They run on the device's lane; the caller's thread only waits. */
final class HcclConnection implements Connection {

    /** How much later than its deadline a transfer may end, as the lane serves others too. */
    private static final Duration LANE = Duration.ofSeconds(2);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(1);

    private final HcclNode node;
    private final CommunicatorPlan plan;
    private final Lifeline lifeline;
    private final ProbePage.Target probeTarget;
    private final Queue<DescriptorArray> spareDescriptors = new ConcurrentLinkedQueue<>();
    private volatile List<RemoteRegion> imported = List.of();
    private volatile boolean active;
    private volatile long usedNanos = System.nanoTime();

    HcclConnection(HcclNode node, CommunicatorPlan plan, Lifeline lifeline, ProbePage.Target probeTarget) {
        this.node = node;
        this.plan = plan;
        this.lifeline = lifeline;
        this.probeTarget = probeTarget;
        this.active = plan.isClient();
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
     * over the same stream that transfers use: only the greeted process has that number. Does not count as use.
     */
    @Override
    public void probe(Deadline deadline) {
        try {
            if (!finds(probeTarget, deadline)) {
                throw new ChannelException(Reason.BROKEN, this + ": not the process that was greeted");
            }
        } catch (ChannelException e) {
            lifeline.end(e);
            throw e;
        }
    }

    /**
     * Waits until the receiver has accepted: the rendezvous alone does not tell, as the other half may have been given
     * up while it was in the library.
     */
    void awaitAccepted(ProbePage.Target accepted, Deadline deadline) {
        while (!finds(accepted, deadline)) {
            if (deadline.hasPassed()) {
                throw new ChannelException(Reason.TIMED_OUT, this + ": the receiver did not accept");
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    /** Gets the number from the peer's page. */
    private boolean finds(ProbePage.Target target, Deadline deadline) {
        long slot = node.probePage().clearedSlot(deadline);
        TransferBatch batch = new TransferBatch();
        batch.add(node.probePage().region(), slot, target.region(), target.offset(), ProbePage.NUMBER_BYTES, 0);
        move(Transfer.Kind.PROBE, batch, deadline);
        return node.probePage().holds(slot, target.number(), deadline);
    }

    @Override
    public CompletableFuture<ChannelException> closed() {
        return lifeline.ended();
    }

    /** {@inheritDoc} Proven once the communicator is destroyed: what the peer sends then has no way in. */
    @Override
    public boolean fence(Deadline deadline) {
        close();
        return lifeline.awaitLeft(deadline);
    }

    @Override
    public void close() {
        lifeline.end(new ChannelException(Reason.CLOSED, this + ": closed"));
    }

    void fail(ChannelException cause) {
        lifeline.end(cause);
    }

    /** Closes it unless it is in use. Does not wait. */
    boolean closeIfIdle() {
        return active
                && lifeline.endIfUnused(() -> new ChannelException(
                        Reason.CLOSED, "%s: closed, idle for %d ms".formatted(this, idleNanos() / 1_000_000)));
    }

    /** Since this side last transferred. */
    long idleNanos() {
        return System.nanoTime() - usedNanos;
    }

    Lifeline lifeline() {
        return lifeline;
    }

    private void transfer(Transfer.Kind kind, TransferBatch batch, Deadline deadline) {
        active = true;
        move(kind, batch, deadline);
        usedNanos = System.nanoTime();
    }

    private void move(Transfer.Kind kind, TransferBatch batch, Deadline deadline) {
        DescriptorArray spare = spareDescriptors.poll();
        DescriptorArray descriptors = spare == null ? new DescriptorArray() : spare;
        descriptors.fill(batch);
        run(new Transfer(kind, lifeline, descriptors, deadline, new CompletableFuture<>()));
        // Not after a failure: the native side may still read them.
        spareDescriptors.add(descriptors);
    }

    private void run(Transfer transfer) {
        if (!lifeline.enter()) {
            throw dead();
        }
        node.lane().submit(transfer);
        try {
            Duration longest = transfer.deadline().remaining().plus(LANE);
            Outcomes.await(toString(), transfer.outcome(), Deadline.after(longest));
        } catch (ChannelException e) {
            lifeline.end(e);
            throw e;
        }
    }

    private ChannelException dead() {
        return lifeline.cause()
                .map(cause -> new ChannelException(cause.reason(), cause.message(), cause))
                .orElseGet(() -> new ChannelException(Reason.CLOSED, this + ": closed"));
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

    @Override
    public String toString() {
        return "hccl " + plan.name();
    }
}
