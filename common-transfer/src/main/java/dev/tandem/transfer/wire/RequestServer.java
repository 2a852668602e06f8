package dev.tandem.transfer.wire;

import java.time.Duration;
import java.util.function.Supplier;

import org.zeromq.SocketType;

import dev.tandem.transfer.TransferException;

/**
 * One port that answers requests: a ROUTER socket, so that plain REQ clients and correlating DEALER clients are served
 * alike, and a slow request delays no other.
 *
 * <p>A thread of its own owns the socket. Whatever arrives in an envelope is answered, malformed messages included; a
 * reply to a peer that is gone is dropped. The port is served until {@link #close}.
 */
public final class RequestServer implements AutoCloseable {

    private static final Duration CLOSE_TIME = Duration.ofMillis(500);

    private final ServedRequests requests;
    private final BoundPort port;

    /** What a port does with a payload. */
    public interface Handler {

        /**
         * Takes a payload, in order of arrival, on the socket's thread: decide quickly, do not wait.
         *
         * @return the rest of the work, done on a virtual thread of the request's own, which {@link #close} interrupts;
         *     its result is the reply
         */
        Supplier<byte[]> accept(byte[] payload);

        /**
         * The reply for a request that either step failed on, or that was refused before: too large, too many, not one
         * payload frame. On either thread. Must not fail itself.
         */
        byte[] failure(Throwable cause);
    }

    /**
     * Where to serve and how much.
     *
     * @param bindAddress name or address; an IPv6 address without brackets
     * @param port 0 takes any free port
     * @param maxUnderWay most requests at once; more are refused at once
     * @param maxUnderWayPerPeer most requests at once over one connection
     */
    public record Settings(String bindAddress, int port, int maxUnderWay, int maxUnderWayPerPeer) {

        /** Room for ten thousand requests that wait. */
        public Settings(String bindAddress, int port) {
            this(bindAddress, port, 16_384, 2_048);
        }
    }

    /** As with the usual {@link Settings}. */
    public RequestServer(ZmqSockets sockets, String bindAddress, int port, Handler handler) {
        this(sockets, new Settings(bindAddress, port), handler);
    }

    /**
     * Binds and begins to serve.
     *
     * @throws TransferException when the port cannot be bound, naming address and port; nothing is left open then
     */
    public RequestServer(ZmqSockets sockets, Settings settings, Handler handler) {
        var underWay = new UnderWay(settings.maxUnderWay(), settings.maxUnderWayPerPeer());
        this.requests = new ServedRequests(sockets, underWay, handler);
        this.port = new BoundPort(
                sockets, SocketType.ROUTER, new BoundPort.Address(settings.bindAddress(), settings.port()), requests);
    }

    /** The port that is bound. */
    public int port() {
        return port.port();
    }

    /** Whether the port is served. */
    public boolean alive() {
        return port.alive() && !requests.lost();
    }

    /** When the socket's thread last looked around, by {@link System#nanoTime}; at least once a second if it is well. */
    public long lastTickNanos() {
        return port.lastTickNanos();
    }

    /**
     * Stops serving: the socket is closed, requests under way are interrupted and lose their replies. Takes a second at
     * most, also where a request does not obey its interrupt. Idempotent.
     */
    @Override
    public void close() {
        port.close();
        try {
            requests.interrupt(CLOSE_TIME);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
