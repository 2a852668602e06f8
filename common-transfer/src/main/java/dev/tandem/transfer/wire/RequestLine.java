package dev.tandem.transfer.wire;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * One DEALER socket of a client. Frames: correlation id, empty delimiter, payload; a REP or ROUTER peer echoes all up to
 * the delimiter. Everything happens on the clients' thread.
 *
 * <p>A retired line sends nothing more and is closed when no reply is awaited on it. Those of requests given up are
 * awaited for {@value #LATE_SECONDS} s, since what they grant must be given back.
 */
final class RequestLine implements LoopSocket.Owner {

    private static final int MESSAGES_PER_TURN = 64;
    private static final long LATE_SECONDS = 10;
    private static final byte[] DELIMITER = new byte[0];

    private final Client client;
    private final String peer;
    private final Deque<Exchange> unsent = new ArrayDeque<>();
    private final Map<Long, Exchange> sent = new LinkedHashMap<>();
    private final Map<Long, Long> givenUpNanos = new LinkedHashMap<>();
    private @Nullable LoopSocket socket;
    private int greetingMillis = Link.GREETING_MILLIS;
    private boolean linked;
    private boolean retired;
    private boolean closed;

    /** Who opened the line. */
    interface Client {

        /** A reply that nobody waits for any more. */
        void late(@Nullable Exchange exchange, byte[] payload);

        /** The line is closed; it must not be used again. */
        void closed(RequestLine line);
    }

    /** @param peer names the other side in failures */
    RequestLine(Client client, String peer) {
        this.client = client;
        this.peer = peer;
    }

    /** What was given to the line is sent once the peer is connected. */
    void connect(ZmqSockets sockets, Endpoint endpoint) {
        if (closed) {
            return;
        }
        ZMQ.Socket dealer = sockets.open(SocketType.DEALER);
        try {
            Link.prepare(dealer, endpoint, up -> sockets.clients().execute(() -> linkChanged(up)));
            dealer.connect(endpoint.url());
        } catch (RuntimeException e) {
            dealer.close();
            throw e;
        }
        socket = new LoopSocket(sockets.clients(), dealer, this);
    }

    private void linkChanged(boolean up) {
        if (socket != null && !closed) {
            if (!up && linked) {
                lostConnection(socket);
            } else if (!up) {
                greetingMillis = Math.min(2 * greetingMillis, Link.MAX_GREETING_MILLIS);
                socket.greetWithin(greetingMillis);
            }
            linked = up;
            socket.touch();
        }
    }

    /** What was sent over it is not answered any more, but for the replies that have come already. */
    private void lostConnection(LoopSocket served) {
        while (served.readable()) {
            receive(served.receive());
        }
        var lost = new TransferException(
                ErrorCode.PEER_LOST, "%s: the connection was lost before the answer".formatted(peer));
        sent.values().forEach(exchange -> exchange.fail(lost));
        sent.clear();
        givenUpNanos.clear();
        if (unsent.isEmpty()) {
            close();
        }
    }

    void send(Exchange exchange) {
        unsent.add(exchange);
        if (socket != null) {
            socket.touch();
        }
    }

    /** Nobody waits for this reply any more. Returns false if it is not one of this line's. */
    boolean giveUp(Exchange exchange) {
        if (unsent.remove(exchange)) {
            return true;
        }
        if (sent.containsKey(exchange.id())) {
            givenUpNanos.put(exchange.id(), System.nanoTime());
            return true;
        }
        return false;
    }

    /** @return what was not sent yet, and never will be on this line */
    List<Exchange> retire() {
        retired = true;
        List<Exchange> rest = new ArrayList<>(unsent);
        unsent.clear();
        closeIfDone();
        return rest;
    }

    /** Whether somebody waits for a reply on this line. */
    boolean awaited() {
        return sent.size() > givenUpNanos.size();
    }

    @Override
    public boolean serve(LoopSocket served) {
        for (int i = 0; i < MESSAGES_PER_TURN; i++) {
            if (served.readable()) {
                receive(served.receive());
            } else if (!linked || unsent.isEmpty() || !served.writable()) {
                closeIfDone();
                return false;
            } else {
                sendNext(served);
            }
        }
        return true;
    }

    private void sendNext(LoopSocket served) {
        Exchange next = unsent.remove();
        if (next.ended()) {
            return;
        }
        byte[] id = ByteBuffer.allocate(Long.BYTES).putLong(next.id()).array();
        if (served.send(List.of(id, DELIMITER, next.payload()))) {
            sent.put(next.id(), next);
        } else {
            unsent.addFirst(next);
        }
    }

    private void receive(List<byte[]> frames) {
        if (frames.size() < 2 || frames.getFirst().length != Long.BYTES || frames.get(1).length > 0) {
            client.late(null, DELIMITER);
            return;
        }
        long id = ByteBuffer.wrap(frames.getFirst()).getLong();
        givenUpNanos.remove(id);
        @Nullable Exchange exchange = sent.remove(id);
        if (exchange == null) {
            client.late(null, DELIMITER);
        } else if (frames.size() != 3) {
            exchange.fail(new MalformedMessageException("reply: %d payload frames".formatted(frames.size() - 2)));
        } else if (!exchange.reply().complete(frames.getLast())) {
            client.late(exchange, frames.getLast());
        }
    }

    /** Late replies are not awaited for ever. */
    @Override
    public void tick() {
        long now = System.nanoTime();
        givenUpNanos.entrySet().removeIf(entry -> {
            boolean over = now - entry.getValue() > TimeUnit.SECONDS.toNanos(LATE_SECONDS);
            if (over) {
                sent.remove(entry.getKey());
            }
            return over;
        });
        closeIfDone();
    }

    private void closeIfDone() {
        if (retired && sent.isEmpty()) {
            close();
        }
    }

    @Override
    public void lost(TransferException cause) {
        fail(cause);
    }

    /** Ends every request on this line and closes it. */
    void fail(TransferException cause) {
        unsent.forEach(exchange -> exchange.fail(cause));
        sent.values().forEach(exchange -> exchange.fail(cause));
        unsent.clear();
        sent.clear();
        givenUpNanos.clear();
        close();
    }

    /** Closes the socket; nobody may wait for a reply on it. Idempotent. */
    void close() {
        if (!closed) {
            closed = true;
            if (socket != null) {
                socket.close();
            }
            client.closed(this);
        }
    }
}
