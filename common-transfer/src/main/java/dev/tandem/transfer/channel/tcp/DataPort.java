package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * The one listening socket of a node. Takes in strangers, a bounded number for a bounded time, and hands each that shows
 * the tag of an offer to that offer; all others are closed without a word.
 *
 * <p>Strangers live on the watching thread, offers come and go on any.
 */
final class DataPort implements IdleSockets.Ticked {

    private static final Logger log = LoggerFactory.getLogger(DataPort.class);
    private static final int BACKLOG = 1024;
    private static final int MOST_AT_ONCE = 64;

    private final TcpSettings settings;
    private final IdleSockets idle;
    private final ServerSocketChannel listener;
    private final int number;
    private final Set<TcpOffer> offers = ConcurrentHashMap.newKeySet();
    private final Set<Stranger> strangers = new LinkedHashSet<>();

    private boolean paused;
    private boolean failing;

    private DataPort(TcpSettings settings, IdleSockets idle, ServerSocketChannel listener) {
        this.settings = settings;
        this.idle = idle;
        this.listener = listener;
        this.number = listener.socket().getLocalPort();
    }

    /** @throws TransferException naming address and port when they cannot be had */
    static DataPort bind(TcpSettings settings, IdleSockets idle) {
        var address = new InetSocketAddress(settings.bindAddress(), settings.port());
        try {
            ServerSocketChannel listener = ServerSocketChannel.open();
            try {
                listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                return new DataPort(settings, idle, listener.bind(address, BACKLOG));
            } catch (IOException | RuntimeException e) {
                listener.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            throw new TransferException(
                    ErrorCode.INTERNAL,
                    "tcp: port %d on %s cannot be bound: %s".formatted(settings.port(), settings.bindAddress(), e),
                    e);
        }
    }

    int number() {
        return number;
    }

    void add(TcpOffer offer) {
        offers.add(offer);
    }

    void remove(TcpOffer offer) {
        offers.remove(offer);
    }

    /** Begins to take connections in. */
    void listen() {
        idle.add(this);
        watch();
    }

    private void watch() {
        idle.watch(listener, SelectionKey.OP_ACCEPT, this::takeIn);
    }

    private void takeIn() {
        try {
            SocketChannel socket = listener.accept();
            for (int taken = 1; socket != null; taken++) {
                welcome(socket);
                socket = taken < MOST_AT_ONCE ? listener.accept() : null;
            }
            failing = false;
            watch();
        } catch (ClosedChannelException e) {
            log.trace("tcp: port {} is closed", number, e);
        } catch (IOException e) {
            pause(e);
        }
    }

    /** Out of descriptors, most likely: trying again at once would fail again. */
    private void pause(IOException e) {
        if (!failing) {
            log.warn("tcp: port {} cannot take a connection in, it tries again several times a second", number, e);
        }
        failing = true;
        paused = true;
    }

    private void welcome(SocketChannel socket) {
        try {
            configure(socket);
        } catch (IOException e) {
            close(socket);
            return;
        }
        if (strangers.size() >= settings.limits().strangers()) {
            Iterator<Stranger> oldest = strangers.iterator();
            close(oldest.next().socket());
            oldest.remove();
        }
        var stranger = new Stranger(socket, idle, settings.patience().hello().toNanos(), this::introduce);
        strangers.add(stranger);
        stranger.listen();
    }

    private void introduce(Stranger stranger) {
        boolean known = strangers.remove(stranger);
        boolean taken = known
                && Hello.parse(stranger.hello())
                        .filter(hello -> admit(hello, stranger.socket()))
                        .isPresent();
        if (!taken) {
            close(stranger.socket());
        }
    }

    private boolean admit(Hello hello, SocketChannel socket) {
        return offerFor(hello.tag())
                .filter(offer -> offer.take(socket, hello.role()))
                .isPresent();
    }

    private Optional<TcpOffer> offerFor(Tag tag) {
        return offers.stream().filter(offer -> offer.admits(tag)).findFirst();
    }

    @Override
    public void tick(long nowNanos) {
        if (paused) {
            paused = false;
            watch();
        }
        Iterator<Stranger> oldest = strangers.iterator();
        while (oldest.hasNext()) {
            Stranger stranger = oldest.next();
            if (!stranger.late(nowNanos)) {
                return;
            }
            close(stranger.socket());
            oldest.remove();
        }
    }

    /** Called once the watching thread has ended. */
    void close() {
        close(listener);
        offers.forEach(TcpOffer::close);
        strangers.forEach(stranger -> close(stranger.socket()));
    }

    /** Bulk data in few large batches, on connections that may be silent for long. */
    static void configure(SocketChannel socket) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    }

    /** Closes a socket of which nothing more is expected. */
    static void close(NetworkChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            log.debug("tcp: closing a socket failed", e);
        }
    }
}
