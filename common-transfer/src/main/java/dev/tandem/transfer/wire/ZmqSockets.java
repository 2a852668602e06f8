package dev.tandem.transfer.wire;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** Owns the ZeroMQ context that all of a node's sockets share. Close it after the servers and clients. Thread-safe. */
public final class ZmqSockets implements AutoCloseable {

    private static final int MAX_SOCKETS = 16_384;

    /** Larger messages close their connection: no message of the protocol comes near. */
    private static final long MAX_MESSAGE_BYTES = 64L << 20;

    private static final int SERVER_HANDSHAKE_MILLIS = 5000;

    /**
     * JeroMQ 0.6 sometimes loses the wake-up of a connection that has just been made (its poller drops the new handle of
     * a channel whose old one was cancelled in the same pass). The connection then stands still in its greeting until
     * this time is over, and is made anew.
     */
    private static final int CLIENT_HANDSHAKE_MILLIS = 250;

    private static final int RECONNECT_MILLIS = 20;
    private static final int MAX_RECONNECT_MILLIS = 1000;

    private final ZContext context = new ZContext();

    public ZmqSockets() {
        context.getContext().setMaxSockets(MAX_SOCKETS);
        context.setLinger(0);
    }

    ZContext context() {
        return context;
    }

    /** Opens a socket that will be bound. */
    ZMQ.Socket openServer(SocketType type) {
        ZMQ.Socket socket = open(type);
        socket.setHandshakeIvl(SERVER_HANDSHAKE_MILLIS);
        return socket;
    }

    /** Opens a socket that will connect. */
    ZMQ.Socket openClient(SocketType type) {
        ZMQ.Socket socket = open(type);
        configureClient(socket);
        return socket;
    }

    /** What every socket of ours that connects needs. */
    static void configureClient(ZMQ.Socket socket) {
        socket.setHandshakeIvl(CLIENT_HANDSHAKE_MILLIS);
        socket.setReconnectIVL(RECONNECT_MILLIS);
        socket.setReconnectIVLMax(MAX_RECONNECT_MILLIS);
    }

    private ZMQ.Socket open(SocketType type) {
        ZMQ.Socket socket = context.createSocket(type);
        socket.setLinger(0);
        socket.setMaxMsgSize(MAX_MESSAGE_BYTES);
        socket.setIPv6(true);
        return socket;
    }

    void close(ZMQ.Socket socket) {
        context.destroySocket(socket);
    }

    /** {@code tcp://host:port}, IPv6 addresses in brackets. */
    static String url(String host, int port) {
        return "tcp://%s:%d".formatted(host.indexOf(':') >= 0 ? "[" + host + "]" : host, port);
    }

    @Override
    public void close() {
        context.close();
    }
}
