package dev.tandem.transfer.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * One port that answers requests: a ROUTER socket, so that plain REQ clients and correlating DEALER clients are served
 * alike, and a slow request delays no other.
 *
 * <p>A thread of its own owns the socket. Whatever arrives is answered, malformed messages included; the loop ends by
 * {@link #close} alone.
 */
public final class RequestServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RequestServer.class);
    private static final int MAX_UNDER_WAY = 4096;
    private static final long CLOSE_MILLIS = 1000;

    private final ZmqSockets sockets;
    private final Handler handler;
    private final ZMQ.Socket socket;
    private final int port;
    private final WakeUp wakeUp = new WakeUp();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();
    private final Thread thread;
    private volatile boolean closed;

    /** What a port does with a payload. */
    public interface Handler {

        /**
         * Takes a payload, in order of arrival, on the socket's thread: decide quickly, do not wait.
         *
         * @return the rest of the work, done on a thread of the request's own; its result is the reply
         */
        Supplier<byte[]> accept(byte[] payload);

        /** The reply for a request that either step failed on. Must not fail itself. */
        byte[] failure(Throwable cause);
    }

    private record Answer(List<byte[]> envelope, byte[] payload) {}

    /**
     * Binds and begins to serve.
     *
     * @param bindAddress name or address; IPv6 addresses without brackets
     * @param port 0 takes any free port
     * @throws TransferException when the port cannot be bound; nothing is left open then
     */
    public RequestServer(ZmqSockets sockets, String bindAddress, int port, Handler handler) {
        this.sockets = sockets;
        this.handler = handler;
        this.socket = sockets.open(SocketType.ROUTER);
        this.port = bind(bindAddress, port);
        this.thread = Thread.ofPlatform().daemon().name("port-" + this.port).start(this::serve);
    }

    private int bind(String bindAddress, int wanted) {
        String url = ZmqSockets.url(bindAddress, wanted);
        try {
            if (wanted == 0) {
                return socket.bindToRandomPort(url.substring(0, url.lastIndexOf(':')));
            }
            socket.bind(url);
            return wanted;
        } catch (ZMQException e) {
            sockets.close(socket);
            wakeUp.close();
            throw new TransferException(
                    ErrorCode.INTERNAL,
                    "port %d on %s cannot be bound: %s".formatted(wanted, bindAddress, e.getMessage()),
                    e);
        }
    }

    /** The port that is bound. */
    public int port() {
        return port;
    }

    /** Whether the socket's thread lives. */
    public boolean alive() {
        return thread.isAlive();
    }

    /** Messages without an envelope to answer to. */
    public long dropped() {
        return dropped.sum();
    }

    private void serve() {
        try (ZMQ.Poller poller = sockets.context().createPoller(2)) {
            poller.register(socket, ZMQ.Poller.POLLIN);
            poller.register(wakeUp.channel(), ZMQ.Poller.POLLIN);
            while (!closed) {
                poller.poll(-1);
                wakeUp.clear();
                sendAnswers();
                receiveAll();
            }
        } catch (ZMQException e) {
            if (!closed && e.getErrorCode() != ZMQ.Error.ETERM.getCode()) {
                log.error("port {}: its loop ended", port, e);
            }
        } finally {
            sockets.close(socket);
            wakeUp.close();
        }
    }

    private void sendAnswers() {
        for (Answer answer; (answer = answers.poll()) != null; ) {
            for (byte[] frame : answer.envelope()) {
                socket.sendMore(frame);
            }
            socket.send(answer.payload());
        }
    }

    private void receiveAll() {
        for (byte[] frame; !closed && (frame = socket.recv(ZMQ.DONTWAIT)) != null; ) {
            List<byte[]> frames = new ArrayList<>();
            frames.add(frame);
            while (socket.hasReceiveMore()) {
                frames.add(socket.recv());
            }
            take(frames);
        }
    }

    /** The envelope ends with the first empty frame behind the identity; one payload frame follows. */
    private void take(List<byte[]> frames) {
        int delimiter = 1;
        while (delimiter < frames.size() && frames.get(delimiter).length > 0) {
            delimiter++;
        }
        if (delimiter >= frames.size()) {
            dropped.increment();
            return;
        }
        List<byte[]> envelope = List.copyOf(frames.subList(0, delimiter + 1));
        if (frames.size() != delimiter + 2) {
            int parts = frames.size() - delimiter - 1;
            answer(
                    envelope,
                    failure(new MalformedMessageException("%d payload frames, one is wanted".formatted(parts))));
            return;
        }
        if (underWay.incrementAndGet() > MAX_UNDER_WAY) {
            underWay.decrementAndGet();
            answer(envelope, failure(new TransferException(ErrorCode.POOL_FULL, "too many requests are under way")));
            return;
        }
        begin(envelope, frames.getLast());
    }

    private void begin(List<byte[]> envelope, byte[] payload) {
        Supplier<byte[]> rest;
        try {
            rest = handler.accept(payload);
        } catch (RuntimeException e) {
            underWay.decrementAndGet();
            answer(envelope, failure(e));
            return;
        }
        Thread.ofVirtual().name("request-" + port).start(() -> finish(envelope, rest));
    }

    private void finish(List<byte[]> envelope, Supplier<byte[]> rest) {
        byte[] reply;
        try {
            reply = rest.get();
        } catch (RuntimeException e) {
            reply = failure(e);
        } finally {
            underWay.decrementAndGet();
        }
        answer(envelope, reply);
    }

    private byte[] failure(RuntimeException cause) {
        return handler.failure(cause);
    }

    private void answer(List<byte[]> envelope, byte[] payload) {
        answers.add(new Answer(envelope, payload));
        wakeUp.signal();
    }

    /** Stops serving; requests under way lose their replies. Idempotent. */
    @Override
    public void close() {
        closed = true;
        wakeUp.signal();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
