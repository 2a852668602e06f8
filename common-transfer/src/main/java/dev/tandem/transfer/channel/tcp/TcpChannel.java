package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.ChannelKind;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.TransferChannel;

/** The TCP fabric of one node: one data port, opened once, and the connections to all its peers. */
public final class TcpChannel implements TransferChannel {

    private static final Logger log = LoggerFactory.getLogger(TcpChannel.class);
    private static final int MAX_STRANGERS = 1024;
    private static final int MAX_WORKERS = 64;

    private final TcpSettings settings;
    private final LocalRegions regions = new LocalRegions();
    private final ServerSocketChannel listener;
    private final IdleSockets idle;
    private final ExecutorService workers;
    private final TcpEnvironment environment;
    private final Set<TcpOffer> offers = ConcurrentHashMap.newKeySet();
    private final Set<Stranger> strangers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @throws TransferException when the data port cannot be bound */
    public TcpChannel(TcpSettings settings) {
        this.settings = settings;
        this.listener = bind(settings);
        this.idle = new IdleSockets("tcp-idle-" + port());
        this.workers = workers();
        this.environment = new TcpEnvironment(settings, regions, idle, workers);
        listen();
    }

    private static ExecutorService workers() {
        var workers = new ThreadPoolExecutor(
                MAX_WORKERS,
                MAX_WORKERS,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("tcp-worker-", 0).factory());
        workers.allowCoreThreadTimeOut(true);
        return workers;
    }

    private static ServerSocketChannel bind(TcpSettings settings) {
        var address = new InetSocketAddress(settings.bindAddress(), settings.port());
        try {
            ServerSocketChannel listener = ServerSocketChannel.open();
            try {
                listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                return listener.bind(address, 1024);
            } catch (IOException e) {
                listener.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            throw new TransferException(
                    ErrorCode.INTERNAL,
                    "port %d on %s cannot be bound: %s"
                            .formatted(settings.port(), settings.bindAddress(), e.getMessage()),
                    e);
        }
    }

    /** The data port that is bound. */
    public int port() {
        return listener.socket().getLocalPort();
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
        return new byte[] {(byte) settings.connectionsPerPeer()};
    }

    @Override
    public Offer offer(String name, byte[] greeting, MemoryGuard guard) {
        if (greeting.length != 1 || greeting[0] < 1 || greeting[0] > 64) {
            throw new ChannelException(Reason.INVALID, "tcp greeting: %d bytes are not one".formatted(greeting.length));
        }
        var meta = new OfferMeta(settings.advertisedHost(), port(), greeting[0], Tag.random());
        var offer = new TcpOffer(name, meta, environment, guard, offers::remove);
        offers.add(offer);
        return offer;
    }

    @Override
    public Connection connect(String name, byte[] offer, MemoryGuard guard, Deadline deadline) {
        OfferMeta meta = OfferMeta.parse(offer);
        List<SocketChannel> driven = new ArrayList<>();
        List<SocketChannel> served = new ArrayList<>();
        try {
            for (int i = 0; i < meta.drivingSockets(); i++) {
                driven.add(open(meta, Hello.Role.CONNECTOR_DRIVES, deadline));
            }
            served.add(open(meta, Hello.Role.ACCEPTOR_DRIVES, deadline));
        } catch (IOException e) {
            driven.forEach(TcpConnection::closeQuietly);
            throw new ChannelException(
                    deadline.hasPassed() ? Reason.TIMED_OUT : Reason.BROKEN,
                    "%s: connecting to %s:%d: %s".formatted(name, meta.host(), meta.port(), e),
                    e);
        }
        var connection = new TcpConnection(name, environment, driven, served, guard);
        environment.connections().add(connection);
        return connection;
    }

    private SocketChannel open(OfferMeta meta, Hello.Role role, Deadline deadline) throws IOException {
        SocketChannel channel = SocketChannel.open();
        var socket = new BatchSocket(channel);
        IdleSockets.Timed limit = socket::closeIfLate;
        idle.add(limit);
        try {
            socket.closeAt(System.nanoTime() + deadline.remainingNanos());
            channel.connect(new InetSocketAddress(meta.host(), meta.port()));
            configure(channel);
            socket.writeAll(new Hello(role, meta.tag()).toBytes());
            ByteBuffer answer = ByteBuffer.allocate(1);
            socket.readAll(answer);
            if (answer.get(0) != Hello.ACCEPTED) {
                throw new IOException("the peer did not accept the tag");
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e instanceof IOException io ? io : new IOException(e.toString(), e);
        } finally {
            idle.remove(limit);
        }
    }

    private static void configure(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    }

    @Override
    public byte[] exportMemory() {
        return regions.export();
    }

    private void listen() {
        idle.watch(listener, SelectionKey.OP_ACCEPT, this::acceptAll);
    }

    private void acceptAll() {
        if (closed) {
            return;
        }
        try {
            for (SocketChannel socket; (socket = listener.accept()) != null; ) {
                welcome(socket);
            }
        } catch (IOException e) {
            log.warn("tcp: accepting a connection failed", e);
        }
        listen();
    }

    private void welcome(SocketChannel socket) throws IOException {
        if (strangers.size() >= MAX_STRANGERS) {
            socket.close();
            return;
        }
        configure(socket);
        var stranger = new Stranger(socket, idle, settings.helloTimeout().toNanos(), this::introduce);
        strangers.add(stranger);
        idle.add(stranger);
        stranger.watch();
    }

    private void introduce(Stranger stranger, ByteBuffer said) {
        if (!strangers.remove(stranger)) {
            return;
        }
        idle.remove(stranger);
        Hello hello = said.remaining() == Hello.BYTES ? Hello.parse(said).orElse(null) : null;
        TcpOffer offer = hello == null
                ? null
                : offers.stream()
                        .filter(open -> open.admits(hello.tag()))
                        .findFirst()
                        .orElse(null);
        if (offer == null || hello == null) {
            TcpConnection.closeQuietly(stranger.socket());
        } else {
            offer.take(stranger.socket(), hello.role());
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            listener.close();
        } catch (IOException e) {
            log.debug("tcp: closing the data port failed", e);
        }
        List.copyOf(offers).forEach(TcpOffer::close);
        List.copyOf(environment.connections()).forEach(TcpConnection::close);
        List.copyOf(strangers).forEach(stranger -> TcpConnection.closeQuietly(stranger.socket()));
        idle.close();
        workers.shutdown();
    }
}
