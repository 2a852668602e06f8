package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    private static final Logger log = LoggerFactory.getLogger(HcclChannel.class);

    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration CLOSE = Duration.ofSeconds(10);

    private final HcclSettings.Communicators settings;
    private final DeviceEndpoint endpoint;
    private final HcclNode node;
    private final HcclMemory ownMemory;
    private final DeviceWorker worker;
    private final Set<Rendezvous> pending = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closing = new CountDownLatch(1);

    private HcclChannel(
            HcclSettings settings, DeviceEndpoint endpoint, HcclNode node, HcclMemory ownMemory, DeviceWorker worker) {
        this.settings = settings.communicators();
        this.endpoint = endpoint;
        this.node = node;
        this.ownMemory = ownMemory;
        this.worker = worker;
        Thread.ofVirtual().name("hccl-idle-" + node.threads().device()).start(this::closeIdleUntilClosed);
    }

    /**
     * The channel of a rank's device. Blocks while the device starts, some seconds on first use.
     *
     * @throws TransferException when the libraries, a function of theirs, the device or its address is missing
     * @throws IllegalArgumentException when the process does not see the rank's device
     */
    public static HcclChannel open(HcclSettings settings, int rank) {
        HcclRuntime runtime = HcclRuntime.load(settings.libraryDirectory());
        DeviceThreads threads = new DeviceThreads(LocalDevice.of(settings, rank, System.getenv()));
        DeviceWorker worker = new DeviceWorker("hccl-control-" + threads.device(), threads);
        HcclMemory ownMemory = new HcclMemory(settings.memory(), threads);
        RegisteredMemory memory = new RegisteredMemory(runtime, worker);
        try {
            DeviceEndpoint endpoint = worker.call(
                    "hccl device " + threads.device(),
                    START,
                    () -> LocalDevice.endpoint(runtime, settings, rank, threads.device()));
            ProbePage probePage = new ProbePage("probe-" + UUID.randomUUID(), ownMemory);
            memory.add(probePage.region());
            HcclNode node = new HcclNode(
                    runtime,
                    threads,
                    DeviceLane.start(threads),
                    memory,
                    probePage,
                    new OpenConnections(settings.communicators().max()));
            return new HcclChannel(settings, endpoint, node, ownMemory, worker);
        } catch (RuntimeException | Error e) {
            memory.close();
            ownMemory.close();
            worker.close();
            throw e;
        }
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
        return new Greeting(endpoint, node.probePage().target()).toBytes();
    }

    @Override
    public Offer offer(String name, byte[] greeting, MemoryGuard guard) {
        Greeting sender = Greeting.from(greeting);
        if (sender.endpoint().clashesWith(endpoint)) {
            throw new ChannelException(
                    Reason.INVALID,
                    "hccl %s: both sides are on device %d of %s, with the same port"
                            .formatted(name, endpoint.device(), endpoint.host()));
        }
        String rankTable = RankTable.of(endpoint, sender.endpoint());
        byte[] meta = new OfferMeta(name, rankTable, node.probePage().target()).toBytes();
        return new HcclOffer(
                meta, rendezvous(new Communicator.Plan(name, rankTable, RankTable.SERVER, settings), sender.probe()));
    }

    @Override
    public Connection connect(String name, byte[] offer, MemoryGuard guard, Deadline deadline) {
        OfferMeta receiver = OfferMeta.from(offer);
        if (!receiver.name().equals(name)) {
            throw new ChannelException(
                    Reason.INVALID, "hccl %s: the offer is for '%s'".formatted(name, receiver.name()));
        }
        return rendezvous(
                        new Communicator.Plan(name, receiver.rankTable(), RankTable.CLIENT, settings), receiver.probe())
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
        node.connections().all().forEach(HcclConnection::close);
        if (node.threads().awaitEnd(Deadline.after(settings.prepareTimeout().plus(CLOSE)))) {
            node.memory().close();
            ownMemory.close();
        } else {
            log.atError().addKeyValue("device", endpoint.device()).log("hccl does not return, memory stays registered");
        }
        node.lane().close();
        worker.close();
    }

    /** @param probe the other side's probe page */
    private Rendezvous rendezvous(Communicator.Plan plan, ProbePage.Target probe) {
        Rendezvous rendezvous = new Rendezvous(node, plan, probe);
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
        return "hccl on %s, device %d of %s (%s)"
                .formatted(node.runtime().soc(), endpoint.device(), endpoint.host(), endpoint.ip());
    }
}
