package dev.tandem.transfer.wire;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** Owns the ZeroMQ context that all of a node's sockets share. Close it after the servers and clients. Thread-safe. */
public final class ZmqSockets implements AutoCloseable {

    private static final int MAX_SOCKETS = 16_384;

    /** Larger messages close their connection: no message of the protocol comes near. */
    private static final long MAX_MESSAGE_BYTES = 64L << 20;

    private final ZContext context = new ZContext();

    public ZmqSockets() {
        context.getContext().setMaxSockets(MAX_SOCKETS);
        context.setLinger(0);
    }

    ZContext context() {
        return context;
    }

    ZMQ.Socket open(SocketType type) {
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
