package dev.tandem.transfer.wire;

import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/** A bound socket and the thread of its own that serves it. */
final class BoundPort implements AutoCloseable {

    private static final Duration RELEASE_TIME = Duration.ofMillis(500);
    private static final long LOOK_AGAIN_NANOS = 5_000_000;

    private final ZmqSockets sockets;
    private final SocketLoop loop;
    private final int port;

    /**
     * Where to bind.
     *
     * @param host name or address; an IPv6 address without brackets
     * @param port 0 takes any free port
     */
    record Address(String host, int port) {

        Endpoint endpoint() {
            try {
                return Endpoint.lookUp(host, port);
            } catch (UnknownHostException e) {
                throw notBound("no such host", e);
            }
        }

        TransferException notBound(String why, Exception cause) {
            return new TransferException(
                    ErrorCode.INTERNAL, "port %d on %s cannot be bound: %s".formatted(port, host, why), cause);
        }
    }

    /**
     * Binds and begins to serve.
     *
     * @throws TransferException when it cannot be bound, naming address and port; nothing is left open then
     */
    BoundPort(ZmqSockets sockets, SocketType type, Address address, LoopSocket.Owner owner) {
        this.sockets = sockets;
        Endpoint endpoint = address.endpoint();
        this.loop = sockets.loop("port-" + address.port());
        try {
            this.port = loop.call(() -> new LoopSocket(loop, bound(type, endpoint, address), owner).boundPort());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private ZMQ.Socket bound(SocketType type, Endpoint endpoint, Address address) {
        ZMQ.Socket socket = sockets.open(type);
        try {
            socket.setIPv6(endpoint.ipv6());
            ZmqSockets.expectStrangers(socket);
            if (type == SocketType.ROUTER) {
                // A client that set an identity and reconnects would else be ignored until its old connection is
                // noticed
                // to be dead.
                socket.setRouterHandover(true);
            }
            bind(socket, endpoint.url());
            return socket;
        } catch (ZMQException e) {
            socket.close();
            throw address.notBound(ZMQ.Error.findByCode(e.getErrorCode()).getMessage(), e);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** ZeroMQ frees the port of a closed socket a moment later, and a server may come back on its port. */
    private static void bind(ZMQ.Socket socket, String url) {
        Deadline release = Deadline.after(RELEASE_TIME);
        while (true) {
            try {
                socket.bind(url);
                return;
            } catch (ZMQException e) {
                if (e.getErrorCode() != ZMQ.Error.EADDRINUSE.getCode() || release.hasPassed()) {
                    throw e;
                }
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        }
    }

    /** The port that is bound. */
    int port() {
        return port;
    }

    boolean alive() {
        return loop.alive();
    }

    long lastTickNanos() {
        return loop.lastTickNanos();
    }

    /** Closes the socket and ends the thread, within a second; the port is free a moment later. Idempotent. */
    @Override
    public void close() {
        loop.close();
        sockets.release(loop);
    }
}
