package dev.tandem.transfer.wire;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import dev.tandem.transfer.TransferException;

/**
 * A request, and the reply that it waits for. It ends once: with a reply, a failure, or by being given up; a reply
 * that finds it ended is late.
 *
 * @param id sent along, and echoed by the peer
 * @param payload the request's bytes
 */
record Exchange(long id, Request<?> request, byte[] payload, CompletableFuture<byte[]> reply) {

    Exchange(long id, Request<?> request, byte[] payload) {
        this(id, request, payload, new CompletableFuture<>());
    }

    boolean ended() {
        return reply.isDone();
    }

    /** @return false if it had ended before */
    boolean fail(TransferException cause) {
        return reply.completeExceptionally(cause);
    }

    boolean answered() {
        return reply.state() == Future.State.SUCCESS;
    }

    /**
     * The reply's payload, once it has ended.
     *
     * @throws TransferException what it failed with
     */
    byte[] outcome() {
        if (answered()) {
            return reply.resultNow();
        }
        throw TransferException.of(new ExecutionException(reply.exceptionNow()));
    }
}
