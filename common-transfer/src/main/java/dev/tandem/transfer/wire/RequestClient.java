package dev.tandem.transfer.wire;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * Asks one remote port: many requests at once over one DEALER socket, each reply matched by its correlation id, never to
 * another request. A reply that comes too late is recognised and handed to whoever can give back what it grants.
 *
 * <p>Nothing is queued for a peer that is not connected. After a time-out new requests go over a fresh socket, so that
 * nothing stale reaches a server that came back; requests under way on the old one may still be answered there.
 *
 * <p>Thread-safe. Costs no thread of its own; the sockets live on the one thread that {@link ZmqSockets} has for all
 * clients.
 */
public final class RequestClient implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RequestClient.class);

    private final ZmqSockets sockets;
    private final String host;
    private final int port;
    private final BiConsumer<Request<?>, Reply> lateReply;
    private final MessageCodec codec = new MessageCodec();
    private final AtomicLong ids = new AtomicLong();
    private final LongAdder lateReplies = new LongAdder();
    private final RequestLines lines;

    /** As with nobody who wants late replies. */
    public RequestClient(ZmqSockets sockets, String host, int port) {
        this(sockets, host, port, (_, _) -> {});
    }

    /**
     * Opens nothing yet; the first request does.
     *
     * @param host name or address; an IPv6 address without brackets
     * @param lateReply gets the replies to requests that were given up, on a virtual thread; only while the socket they
     *     come over is kept, some 10 s
     */
    public RequestClient(ZmqSockets sockets, String host, int port, BiConsumer<Request<?>, Reply> lateReply) {
        this.sockets = sockets;
        this.host = host;
        this.port = port;
        this.lateReply = lateReply;
        this.lines = new RequestLines(sockets, host, port, this::late);
        sockets.adopt(this);
    }

    /** Replies that came after their request was given up, or that match no request. */
    public long lateReplies() {
        return lateReplies.sum();
    }

    /**
     * Asks and waits for the answer.
     *
     * @throws TransferException the other side's refusal with its code; BAD_REQUEST when it could not process the
     *     request and did not say why, or its reply is malformed; INTERNAL when it answers something else; TIMEOUT when
     *     there is no connection or no answer by the deadline; PEER_LOST when this client is closed or the host unknown
     */
    public <R extends Reply> R ask(Request<R> request, Deadline deadline) throws InterruptedException {
        if (deadline.hasPassed()) {
            throw failure(request, ErrorCode.TIMEOUT, "not sent, its deadline has passed");
        }
        var exchange = new Exchange(ids.incrementAndGet(), request, codec.encode(request));
        if (!sockets.clients().execute(() -> lines.send(exchange))) {
            throw failure(request, ErrorCode.PEER_LOST, "the sockets of this node are closed");
        }
        return answer(request, await(exchange, deadline));
    }

    private byte[] await(Exchange exchange, Deadline deadline) throws InterruptedException {
        try {
            return exchange.reply().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            TransferException timeout = failure(exchange.request(), ErrorCode.TIMEOUT, "no answer before the deadline");
            if (exchange.fail(timeout)) {
                sockets.clients().execute(() -> lines.timedOut(exchange));
            }
            return exchange.outcome();
        } catch (InterruptedException e) {
            giveUp(exchange);
            throw e;
        } catch (ExecutionException e) {
            throw TransferException.of(e);
        }
    }

    private void giveUp(Exchange exchange) {
        if (exchange.fail(failure(exchange.request(), ErrorCode.ABORTED, "interrupted"))) {
            sockets.clients().execute(() -> lines.giveUp(exchange));
        } else if (exchange.answered()) {
            late(exchange, exchange.outcome());
        }
    }

    private <R extends Reply> R answer(Request<R> request, byte[] payload) {
        if (payload.length == 0) {
            throw failure(request, ErrorCode.BAD_REQUEST, "the receiver could not process it and did not say why");
        }
        Reply reply = codec.decodeReply(payload);
        Refusal.in(reply).ifPresent(refusal -> {
            throw refusal;
        });
        if (!request.replyType().isInstance(reply)) {
            String type = MessageType.of(reply).wireName();
            throw failure(request, ErrorCode.INTERNAL, "unexpected reply " + type);
        }
        return request.replyType().cast(reply);
    }

    private void late(@Nullable Exchange exchange, byte[] payload) {
        lateReplies.increment();
        sockets.events().lateReply();
        if (exchange != null && payload.length > 0) {
            Thread.ofVirtual().name("late-reply").start(() -> handOver(exchange.request(), payload));
        }
    }

    private void handOver(Request<?> request, byte[] payload) {
        try {
            lateReply.accept(request, codec.decodeReply(payload));
        } catch (RuntimeException e) {
            log.warn("a late reply to {} of {} could not be given back", name(request), display(), e);
        }
    }

    private TransferException failure(Request<?> request, ErrorCode code, String what) {
        return new TransferException(code, "%s to %s: %s".formatted(name(request), display(), what));
    }

    private static String name(Request<?> request) {
        return MessageType.of(request).wireName();
    }

    private String display() {
        return Endpoint.display(host, port);
    }

    /** Ends every request under way with PEER_LOST and closes the sockets. Idempotent. */
    @Override
    public void close() {
        sockets.release(this);
        var closed = new TransferException(ErrorCode.PEER_LOST, "the client to %s is closed".formatted(display()));
        sockets.clients().execute(() -> lines.close(closed));
    }
}
