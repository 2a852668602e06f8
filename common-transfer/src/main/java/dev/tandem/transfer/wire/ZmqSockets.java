package dev.tandem.transfer.wire;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import zmq.Msg;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * Owns what all of a node's sockets share: the ZeroMQ context with its I/O thread, and the thread on which all clients
 * send and receive. Closing it closes every server, client, listener and notifier that uses it.
 *
 * <p>Thread-safe.
 */
public final class ZmqSockets implements AutoCloseable {

    /** More than a request for the most keys takes, each as long as a key may be. */
    public static final int DEFAULT_MAX_MESSAGE_BYTES = 24 << 20;

    private static final Logger log = LoggerFactory.getLogger(ZmqSockets.class);
    private static final int MAX_SOCKETS = 16_384;
    private static final int HIGH_WATER_MARK = 1_000;
    private static final int HANDSHAKE_MILLIS = 5_000;
    private static final int PING_MILLIS = 10_000;
    private static final int PONG_MILLIS = 30_000;
    private static final Duration CLOSE_TIME = Duration.ofSeconds(1);

    private final ZContext context = new ZContext();
    private final Set<AutoCloseable> users = ConcurrentHashMap.newKeySet();
    private final WireEvents events;
    private final int maxMessageBytes;
    private final SocketLoop clients;
    private volatile boolean broken;
    private volatile boolean closed;

    public ZmqSockets() {
        this(WireEvents.NONE, DEFAULT_MAX_MESSAGE_BYTES);
    }

    /**
     * Starts the clients' thread.
     *
     * @param maxMessageBytes larger messages are refused; those of more than twice that size end their connection
     */
    public ZmqSockets(WireEvents events, int maxMessageBytes) {
        this.events = events;
        this.maxMessageBytes = maxMessageBytes;
        context.getContext().setMaxSockets(MAX_SOCKETS);
        context.setLinger(0);
        context.setUncaughtExceptionHandler(this::breakDown);
        context.setNotificationExceptionHandler((_, cause) -> fault(cause));
        this.clients = new SocketLoop("wire-clients");
    }

    /** False once a thread that all sockets depend on has died: then this process cannot be reached any more. */
    public boolean alive() {
        return !broken && clients.alive();
    }

    /** When the clients' thread last looked around, by {@link System#nanoTime}; at least once a second if it is well. */
    public long lastTickNanos() {
        return clients.lastTickNanos();
    }

    ZContext context() {
        return context;
    }

    WireEvents events() {
        return events;
    }

    int maxMessageBytes() {
        return maxMessageBytes;
    }

    SocketLoop clients() {
        return clients;
    }

    /** Starts a thread for sockets; it is closed with this, unless sooner. */
    SocketLoop loop(String name) {
        requireOpen();
        var loop = new SocketLoop(name);
        adopt(loop);
        return loop;
    }

    /** Makes sure that a user of these sockets is closed before they are. */
    void adopt(AutoCloseable user) {
        users.add(user);
    }

    void release(AutoCloseable user) {
        users.remove(user);
    }

    private void requireOpen() {
        if (closed) {
            throw new TransferException(ErrorCode.DRAINING, "the sockets of this node are closed");
        }
    }

    /** Opens a socket that the calling thread owns. */
    ZMQ.Socket open(SocketType type) {
        requireOpen();
        ZMQ.Socket socket = context.createSocket(type);
        socket.setLinger(0);
        socket.setRcvHWM(HIGH_WATER_MARK);
        socket.setSndHWM(HIGH_WATER_MARK);
        limitMessages(socket);
        return socket;
    }

    /**
     * A peer may claim any length, also one that is negative to a signed long; JeroMQ compares with the limit as signed
     * and would then ask for a buffer of whatever the low bits say. On the heap, because running out of direct memory
     * ends the thread that serves every socket.
     */
    private void limitMessages(ZMQ.Socket socket) {
        long limit = 2L * maxMessageBytes;
        socket.setMaxMsgSize(limit);
        socket.setMsgAllocator(size -> new Msg(size < 0 || size > limit ? 0 : size));
    }

    /**
     * Prepares a socket that strangers connect to: those that do not complete the handshake are dropped, and those whose
     * host is gone, or that never end a message they began.
     */
    static void expectStrangers(ZMQ.Socket socket) {
        socket.setHandshakeIvl(HANDSHAKE_MILLIS);
        socket.setHeartbeatIvl(PING_MILLIS);
        socket.setHeartbeatTimeout(PONG_MILLIS);
    }

    private void breakDown(Thread thread, Throwable cause) {
        broken = true;
        log.error("the ZeroMQ thread {} died: no socket of this node works any more", thread.getName(), cause);
        events.socketFault(cause);
    }

    private void fault(Throwable cause) {
        log.debug("a connection sent what ZeroMQ cannot take", cause);
        events.socketFault(cause);
    }

    /** Closes all that uses these sockets, then the context. Takes a few seconds at most; idempotent. */
    @Override
    public void close() {
        closed = true;
        users.forEach(ZmqSockets::closeQuietly);
        clients.close();
        // On a thread of its own: an interrupt in the wrong place would leave the context half closed.
        Thread closer = Thread.ofPlatform().daemon().name("zmq-close").start(context::close);
        try {
            if (!closer.join(CLOSE_TIME)) {
                log.warn("the ZeroMQ context has not closed within {}", CLOSE_TIME);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeQuietly(AutoCloseable user) {
        try {
            user.close();
        } catch (Exception e) {
            log.warn("closing {}", user, e);
        }
    }
}
