package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.ChannelKind;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.TransferChannel;

/**
 * One device's HCCL: puts and gets between its registered memory and that of devices elsewhere. Every connection is a
 * communicator of two ranks; the channels of all devices of a process share the native libraries.
 *
 * <p>One-sided: a peer's transfers are not seen on this side, so memory guards are never asked, and {@code fence}
 * destroys the communicator, after which nothing can land. A dying peer is noticed when this side transfers or probes,
 * not before.
 *
 * <p>Connections that this side uses and then leaves idle are closed (see {@link HcclSettings.Communicators}); to the
 * layer above that is a closed connection like any other, and the next use greets the peer again.
 */
public final class HcclChannel implements TransferChannel {

    private static final Duration CLOSE = Duration.ofSeconds(10);

    private final HcclSettings.Communicators settings;
    private final HcclNode node;
    private final Set<Rendezvous> pending = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closing = new CountDownLatch(1);

    private HcclChannel(HcclSettings.Communicators settings, HcclNode node) {
        this.settings = settings;
        this.node = node;
        Thread.ofVirtual().name("hccl-idle-" + node.threads().device()).start(this::closeIdleUntilClosed);
    }

    /**
     * The channel of a rank's device. Blocks while the device starts, some seconds on first use.
     *
     * @throws TransferException when the libraries, a function of theirs, the device or its address is missing
     * @throws IllegalArgumentException when the process does not see the rank's device
     */
    public static HcclChannel open(HcclSettings settings, int rank) {
        return new HcclChannel(settings.communicators(), HcclNode.open(settings, rank));
    }

    @Override
    public ChannelKind kind() {
        return ChannelKind.HCCL;
    }

    /**
     * {@inheritDoc}
     *
     * @param region 2 MiB-aligned; on the device, from an {@link HcclMemory}
     */
    @Override
    public void register(MemoryRegion region) {
        node.memory().share(region);
    }

    @Override
    public byte[] greeting() {
        return new Greeting(node.endpoint(), node.probePage().target()).toBytes();
    }

    @Override
    public Offer offer(String name, byte[] greeting, MemoryGuard guard) {
        Greeting sender = Greeting.from(greeting);
        if (sender.endpoint().clashesWith(node.endpoint())) {
            throw new ChannelException(
                    Reason.INVALID,
                    "hccl %s: both sides are on device %d of %s, with the same port"
                            .formatted(
                                    name,
                                    node.endpoint().device(),
                                    node.endpoint().host()));
        }
        String rankTable = RankTable.of(node.endpoint(), sender.endpoint());
        ProbePage.Target accepted = node.probePage().hidden();
        byte[] meta = new OfferMeta(name, rankTable, node.probePage().target(), accepted).toBytes();
        CommunicatorPlan plan = new CommunicatorPlan(name, rankTable, RankTable.SERVER, settings);
        return new HcclOffer(meta, begun(new Rendezvous(node, plan, sender.probe(), accepted)));
    }

    @Override
    public Connection connect(String name, byte[] offer, MemoryGuard guard, Deadline deadline) {
        OfferMeta receiver = OfferMeta.from(offer);
        if (!receiver.name().equals(name)) {
            throw new ChannelException(
                    Reason.INVALID, "hccl %s: the offer is for '%s'".formatted(name, receiver.name()));
        }
        CommunicatorPlan plan = new CommunicatorPlan(name, receiver.rankTable(), RankTable.CLIENT, settings);
        return begun(new Rendezvous(node, plan, receiver.probe(), receiver.accepted()))
                .meet(deadline);
    }

    @Override
    public byte[] exportMemory() {
        return node.memory().export();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Blocks until the native threads have cleaned up, which takes as long as a handshake that is under way. If one
     * of them does not return, memory stays registered, and this is logged.
     */
    @Override
    public void close() {
        if (closing.getCount() == 0) {
            return;
        }
        closing.countDown();
        pending.forEach(rendezvous -> rendezvous.cancel(channelClosed()));
        node.close(Deadline.after(settings.prepareTimeout().plus(CLOSE)));
    }

    private Rendezvous begun(Rendezvous rendezvous) {
        pending.add(rendezvous);
        rendezvous.whenOver(() -> pending.remove(rendezvous));
        if (closing.getCount() == 0) {
            rendezvous.cancel(channelClosed());
            throw channelClosed();
        }
        return rendezvous;
    }

    private void closeIdleUntilClosed() {
        try {
            while (!closing.await(settings.idleAfter().toNanos() / 4 + 1, TimeUnit.NANOSECONDS)) {
                node.connections().closeIdle(settings.idleAfter());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ChannelException channelClosed() {
        return new ChannelException(Reason.CLOSED, "hccl channel: closed");
    }

    /** The chip, the device and its address. */
    @Override
    public String toString() {
        return node.toString();
    }
}
