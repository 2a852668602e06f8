package dev.tandem.transfer.wire;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * Asks one remote port: many requests at once over one DEALER socket, each reply matched by its correlation id. A reply
 * that comes too late is recognised and dropped. After a time-out new requests go over a fresh socket, so that nothing
 * stale reaches a server that came back (one lost reply wedges a REQ socket for ever).
 *
 * <p>Thread-safe.
 */
public final class RequestClient implements AutoCloseable {

    private final ZmqSockets sockets;
    private final String url;
    private final MessageCodec codec = new MessageCodec();
    private final LongAdder lateReplies = new LongAdder();
    private @Nullable RequestLine line;
    private boolean closed;

    /** Opens nothing yet; the first request does. */
    public RequestClient(ZmqSockets sockets, String host, int port) {
        this.sockets = sockets;
        this.url = ZmqSockets.url(host, port);
    }

    /** Replies that came after their deadline. */
    public long lateReplies() {
        return lateReplies.sum();
    }

    /**
     * Asks and waits for the answer.
     *
     * @throws TransferException the other side's refusal with its code; TIMEOUT when there is no answer by the deadline;
     *     PEER_LOST when this client is closed
     */
    public <R extends Reply> R ask(Request<R> request, Deadline deadline) throws InterruptedException {
        RequestLine used = line();
        CompletableFuture<byte[]> answer = used.send(codec.encode(request));
        try {
            return understand(request, answer.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            retire(used);
            throw new TransferException(
                    ErrorCode.TIMEOUT, "%s to %s: no answer in time".formatted(name(request), url), e);
        } catch (ExecutionException e) {
            throw TransferException.of(e);
        } finally {
            answer.cancel(false);
        }
    }

    private static String name(Request<?> request) {
        return request.getClass().getSimpleName();
    }

    private synchronized RequestLine line() {
        if (closed) {
            throw new TransferException(ErrorCode.PEER_LOST, "the client to %s is closed".formatted(url));
        }
        if (line == null) {
            line = new RequestLine(sockets, url, lateReplies);
        }
        return line;
    }

    private synchronized void retire(RequestLine used) {
        used.retire();
        if (line == used) {
            line = null;
        }
    }

    private <R extends Reply> R understand(Request<R> request, byte[] payload) {
        if (payload.length == 0) {
            throw new TransferException(
                    ErrorCode.BAD_REQUEST,
                    "%s: %s could not process it, and did not say why".formatted(name(request), url));
        }
        Reply reply = codec.decodeReply(payload);
        refuse(reply);
        if (request.replyType().isInstance(reply)) {
            return request.replyType().cast(reply);
        }
        throw new TransferException(
                ErrorCode.INTERNAL,
                "%s to %s: unexpected reply %s"
                        .formatted(name(request), url, reply.getClass().getSimpleName()));
    }

    private static void refuse(Reply reply) {
        switch (reply) {
            case HandshakeReply.Error(var _, var code, var message) -> throw refusal(code, message, ErrorCode.INTERNAL);
            case HandshakeReply.Ready ready when !ready.ok() -> throw refusal("", "", ErrorCode.INTERNAL);
            case TransferReply.Alloc alloc
            when alloc.allocFailed() -> throw refusal(alloc.code(), alloc.message(), ErrorCode.POOL_FULL);
            case TransferReply.Commit commit
            when !commit.ok() && commit.badIndexes().isEmpty() ->
                throw refusal(commit.code(), commit.message(), ErrorCode.INTERNAL);
            case TransferReply.Abort abort
            when !abort.ok() -> throw refusal(abort.code(), abort.message(), ErrorCode.INTERNAL);
            case TransferReply.Heartbeat heartbeat
            when !heartbeat.ok() -> throw refusal(heartbeat.code(), heartbeat.message(), ErrorCode.INTERNAL);
            case TransferReply.PullAck ack
            when ack.allocFailed() -> throw refusal(ack.code(), ack.message(), ErrorCode.POOL_FULL);
            case Reply _ -> {}
        }
    }

    private static TransferException refusal(String code, String message, ErrorCode otherwise) {
        return new TransferException(
                ErrorCode.of(code).orElse(otherwise),
                message.isEmpty() ? "refused without a reason (as upstream does)" : message);
    }

    /** Ends every request under way with PEER_LOST. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        if (line != null) {
            line.close();
            line = null;
        }
    }
}
