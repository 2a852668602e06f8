package dev.tandem.transfer.wire;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * One DEALER socket and the thread that owns it. Frames: correlation id, empty delimiter, payload; a REP or ROUTER peer
 * echoes all up to the delimiter.
 *
 * <p>A retired line takes no more requests and closes when none is under way any more.
 */
final class RequestLine {

    private static final Logger log = LoggerFactory.getLogger(RequestLine.class);
    private static final byte[] DELIMITER = new byte[0];
    private static final long RETIRED_LOOK_MILLIS = 200;

    private final ZmqSockets sockets;
    private final String url;
    private final LongAdder lateReplies;
    private final ZMQ.Socket socket;
    private final WakeUp wakeUp = new WakeUp();
    private final AtomicLong ids = new AtomicLong();
    private final Queue<Outgoing> outbox = new ConcurrentLinkedQueue<>();
    private final Map<Long, CompletableFuture<byte[]>> underWay = new ConcurrentHashMap<>();
    private volatile boolean retired;
    private volatile boolean closed;

    private record Outgoing(long id, byte[] payload) {}

    RequestLine(ZmqSockets sockets, String url, LongAdder lateReplies) {
        this.sockets = sockets;
        this.url = url;
        this.lateReplies = lateReplies;
        this.socket = sockets.open(SocketType.DEALER);
        // false means what libzmq calls IMMEDIATE: queue for connected peers only
        socket.setImmediate(false);
        socket.connect(url);
        Thread.ofPlatform().daemon().name("ask-" + url).start(this::run);
    }

    /** Sends a request; the future completes with the reply's payload. Cancel it to forget the request. */
    CompletableFuture<byte[]> send(byte[] payload) {
        var answer = new CompletableFuture<byte[]>();
        long id = ids.incrementAndGet();
        underWay.put(id, answer);
        var _ = answer.whenComplete((_, _) -> underWay.remove(id));
        outbox.add(new Outgoing(id, payload));
        wakeUp.signal();
        if (closed) {
            fail();
        }
        return answer;
    }

    void retire() {
        retired = true;
        wakeUp.signal();
    }

    void close() {
        closed = true;
        wakeUp.signal();
        fail();
    }

    private void fail() {
        var lost = new TransferException(ErrorCode.PEER_LOST, "the client to %s is closed".formatted(url));
        underWay.values().forEach(answer -> answer.completeExceptionally(lost));
    }

    private boolean goesOn() {
        return !closed && !(retired && underWay.isEmpty());
    }

    private void run() {
        try (ZMQ.Poller poller = sockets.context().createPoller(2)) {
            poller.register(socket, ZMQ.Poller.POLLIN);
            poller.register(wakeUp.channel(), ZMQ.Poller.POLLIN);
            while (goesOn()) {
                poller.poll(retired ? RETIRED_LOOK_MILLIS : -1);
                wakeUp.clear();
                receiveAll();
                boolean blocked = !sendAll();
                poller.unregister(socket);
                poller.register(socket, blocked ? ZMQ.Poller.POLLIN | ZMQ.Poller.POLLOUT : ZMQ.Poller.POLLIN);
            }
        } catch (ZMQException e) {
            if (!closed && e.getErrorCode() != ZMQ.Error.ETERM.getCode()) {
                log.error("the client to {}: its loop ended", url, e);
            }
        } finally {
            closed = true;
            sockets.close(socket);
            wakeUp.close();
            fail();
        }
    }

    /** @return false when the socket takes no more now; a request that nobody waits for any more is not sent */
    private boolean sendAll() {
        for (Outgoing next; (next = outbox.peek()) != null; outbox.remove()) {
            if (!underWay.containsKey(next.id())) {
                continue;
            }
            byte[] id = ByteBuffer.allocate(Long.BYTES).putLong(next.id()).array();
            if (!socket.send(id, ZMQ.SNDMORE | ZMQ.DONTWAIT)) {
                return false;
            }
            socket.send(DELIMITER, ZMQ.SNDMORE);
            socket.send(next.payload(), 0);
        }
        return true;
    }

    private void receiveAll() {
        for (byte[] frame; (frame = socket.recv(ZMQ.DONTWAIT)) != null; ) {
            byte[] first = frame;
            byte[] last = frame;
            int frames = 1;
            while (socket.hasReceiveMore()) {
                last = socket.recv();
                frames++;
            }
            if (frames == 3 && first.length == Long.BYTES) {
                complete(ByteBuffer.wrap(first).getLong(), last);
            } else {
                lateReplies.increment();
            }
        }
    }

    private void complete(long id, byte[] payload) {
        CompletableFuture<byte[]> answer = underWay.get(id);
        if (answer == null || !answer.complete(payload)) {
            lateReplies.increment();
        }
    }
}
