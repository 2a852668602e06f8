package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

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
 * The TCP fabric of one node: one data port, opened once, and the connections to all its peers. Regions are host memory.
 *
 * <p>An idle connection costs its sockets and no thread. What is attached to a connection's
 * {@link Connection#closed()} runs on a thread of the channel's, or on the one that closed it.
 */
public final class TcpChannel implements TransferChannel {

    private static final Logger log = LoggerFactory.getLogger(TcpChannel.class);
    private static final Duration LEAVE = Duration.ofSeconds(5);

    private final TcpSettings settings;
    private final LocalRegions regions = new LocalRegions();
    private final DataPort port;
    private final IdleSockets idle;
    private final Workers workers;
    private final TcpNode node;
    private final Dialer dialer;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @throws TransferException naming address and port when the data port cannot be bound */
    public TcpChannel(TcpSettings settings) {
        this.settings = settings;
        this.idle = new IdleSockets();
        try {
            this.port = DataPort.bind(settings, idle);
        } catch (RuntimeException e) {
            idle.close();
            throw e;
        }
        this.workers = new Workers(
                "tcp-worker-%d-".formatted(port()), settings.limits().workers());
        this.node = new TcpNode(settings, regions, idle, workers);
        this.dialer = new Dialer(node.traffic());
        idle.add(dialer);
        port.listen();
        idle.start("tcp-idle-" + port());
    }

    /** The data port that is bound. */
    public int port() {
        return port.number();
    }

    /** Connections that are open now. */
    public int connections() {
        return node.connections().count();
    }

    /** Bytes that its connections have sent, headers included, since it was made. */
    public long bytesSent() {
        return node.traffic().sent().sum();
    }

    /** Bytes that its connections have received, headers and refused payloads included, since it was made. */
    public long bytesReceived() {
        return node.traffic().received().sum();
    }

    @Override
    public ChannelKind kind() {
        return ChannelKind.TCP;
    }

    @Override
    public void register(MemoryRegion region) {
        regions.add(region);
    }

    @Override
    public byte[] greeting() {
        return new Greeting(settings.connectionsPerPeer(), settings.limits().batchEntries()).toBytes();
    }

    @Override
    public Offer offer(String name, byte[] greeting, MemoryGuard guard) {
        requireOpen();
        Greeting greeted = Greeting.parse(greeting);
        int sockets = Math.min(settings.connectionsPerPeer(), greeted.sockets());
        var meta = new OfferMeta(
                settings.advertisedHost(), port(), sockets, settings.limits().batchEntries(), Tag.random());
        var offer = new TcpOffer(new TcpOffer.Wanted(name, meta, greeted.batchEntries(), guard), node, port::remove);
        port.add(offer);
        return offer;
    }

    @Override
    public Connection connect(String name, byte[] offer, MemoryGuard guard, Deadline deadline) {
        requireOpen();
        OfferMeta meta = OfferMeta.parse(offer);
        if (meta.sockets() > settings.connectionsPerPeer()) {
            throw new ChannelException(
                    Reason.INVALID,
                    "%s: the offer asks for %d sockets, %d were greeted"
                            .formatted(name, meta.sockets(), settings.connectionsPerPeer()));
        }
        List<SocketChannel> opened = new ArrayList<>();
        try {
            dialAll(meta, opened, deadline);
        } catch (IOException | RuntimeException e) {
            opened.forEach(DataPort::close);
            throw new ChannelException(
                    deadline.hasPassed() ? Reason.TIMED_OUT : Reason.BROKEN,
                    "%s: connecting to %s port %d: %s".formatted(name, meta.host(), meta.port(), e),
                    e);
        }
        List<SocketChannel> driven = opened.subList(0, meta.sockets());
        List<SocketChannel> served = opened.subList(meta.sockets(), opened.size());
        return TcpConnection.open(new Rendezvous(name, driven, served, meta.batchEntries(), guard), node);
    }

    /** First those that this side drives, then the one that the other side does. */
    private void dialAll(OfferMeta meta, List<SocketChannel> opened, Deadline deadline) throws IOException {
        InetAddress[] addresses = Dialer.addresses(meta.host(), deadline);
        var drives = new Hello(Hello.Role.CONNECTOR_DRIVES, meta.tag());
        for (int i = 0; i < meta.sockets(); i++) {
            opened.add(dialer.dial(addresses, meta.port(), drives, deadline));
        }
        var driven = new Hello(Hello.Role.ACCEPTOR_DRIVES, meta.tag());
        opened.add(dialer.dial(addresses, meta.port(), driven, deadline));
    }

    @Override
    public byte[] exportMemory() {
        return regions.export();
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new ChannelException(Reason.CLOSED, "tcp: the channel is closed");
        }
    }

    /** {@inheritDoc} Waits for its threads, at most 5 s for what cannot be interrupted. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        Deadline deadline = Deadline.after(LEAVE);
        dialer.close();
        boolean fenced = node.connections().fenceAll(deadline);
        idle.close();
        port.close();
        workers.close();
        if (!workers.awaitEnd(deadline) || !fenced) {
            log.warn("tcp: port {} is closed, but a guard or a caller still holds one of its threads", port());
        }
    }
}
