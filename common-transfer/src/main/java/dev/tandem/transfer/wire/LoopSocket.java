package dev.tandem.transfer.wire;

import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZMQ;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * A socket and its place in the {@link SocketLoop} whose thread owns it. Everything but
 * {@link #execute} happens on that thread.
 */
final class LoopSocket {

    /** More frames than any message of the protocol has; those beyond are read and forgotten. */
    static final int MAX_FRAMES = 16;

    private static final Logger log = LoggerFactory.getLogger(LoopSocket.class);

    private final SocketLoop loop;
    private final ZMQ.Socket socket;
    private final Owner owner;
    private final SelectionKey key;
    private boolean closed;

    /** What a socket is for. */
    interface Owner {

        /**
         * The socket may have become readable or writable. Must look until it is neither, or say that it has not: a
         * readiness that was seen is not signalled again.
         *
         * @return true to be called again after others had their turn
         */
        boolean serve(LoopSocket socket);

        /** About once a second. */
        default void tick() {}

        /** The socket failed, or its loop has ended; it is closed. Called once at most. */
        void lost(TransferException cause);
    }

    /** Gives a socket to the loop; it closes the socket if it cannot take it. */
    LoopSocket(SocketLoop loop, ZMQ.Socket socket, Owner owner) {
        this.loop = loop;
        this.socket = socket;
        this.owner = owner;
        try {
            this.key = loop.join(this, socket.getFD());
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    boolean readable() {
        return (socket.getEvents() & ZMQ.Poller.POLLIN) != 0;
    }

    boolean writable() {
        return (socket.getEvents() & ZMQ.Poller.POLLOUT) != 0;
    }

    /** The next message's frames, one more than {@link #MAX_FRAMES} at most; the socket must be readable. */
    List<byte[]> receive() {
        var frames = new ArrayList<byte[]>();
        do {
            byte[] frame = socket.recv(ZMQ.DONTWAIT);
            if (frame != null && frames.size() <= MAX_FRAMES) {
                frames.add(frame);
            }
        } while (socket.hasReceiveMore());
        return frames;
    }

    /** Sends a message whole, or nothing of it if the socket is not writable. Its readiness must be looked at again. */
    boolean send(List<byte[]> frames) {
        touch();
        for (int i = 0; i < frames.size(); i++) {
            int more = i < frames.size() - 1 ? ZMQ.SNDMORE : 0;
            if (!socket.send(frames.get(i), more | ZMQ.DONTWAIT)) {
                return false;
            }
        }
        return true;
    }

    /** As {@link SocketLoop#execute}; the only thing here that other threads may call. */
    boolean execute(Runnable task) {
        return loop.execute(task);
    }

    /** Has the owner look at the socket before the loop waits again. */
    void touch() {
        if (!closed) {
            loop.touch(this);
        }
    }

    /** The port that this socket is bound to. */
    int boundPort() {
        String endpoint = socket.getLastEndpoint();
        return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
    }

    /** How long the greeting of the next connection may take. */
    void greetWithin(int millis) {
        socket.setHandshakeIvl(millis);
    }

    void serve() {
        try {
            if (!closed && owner.serve(this)) {
                touch();
            }
        } catch (RuntimeException e) {
            log.error("a socket failed and is closed", e);
            lose(new TransferException(ErrorCode.PEER_LOST, "the socket failed: " + e, e));
        }
    }

    void tick() {
        owner.tick();
    }

    void lose(TransferException cause) {
        if (!closed) {
            close();
            owner.lost(cause);
        }
    }

    /** Closes the socket; what it has not sent is dropped. Idempotent. */
    void close() {
        if (!closed) {
            closed = true;
            loop.leave(this, key);
            socket.close();
        }
    }
}
