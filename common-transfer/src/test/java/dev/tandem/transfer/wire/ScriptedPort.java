package dev.tandem.transfer.wire;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * An alloc port that answers aborts. What the abort's reason says is done: {@code hold} waits until the transfer is
 * released, {@code fail} and {@code fail early} fail, anything else is answered at once, with the transfer's id.
 */
final class ScriptedPort implements RequestServer.Handler {

    final Queue<String> arrived = new ConcurrentLinkedQueue<>();
    final AtomicInteger interrupted = new AtomicInteger();
    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
    private final MessageCodec codec = new MessageCodec();

    static TransferRequest.Abort request(String id, String reason) {
        return new TransferRequest.Abort(id, Stamp.NONE, reason);
    }

    void release(String id) {
        latch(id).countDown();
    }

    private CountDownLatch latch(String id) {
        return held.computeIfAbsent(id, _ -> new CountDownLatch(1));
    }

    @Override
    public Supplier<byte[]> accept(byte[] payload) {
        if (!(codec.decodeTransferRequest(payload) instanceof TransferRequest.Abort abort)) {
            throw new TransferException(ErrorCode.BAD_REQUEST, "type: not an abort");
        }
        arrived.add(abort.transferId());
        if (abort.reason().equals("fail early")) {
            throw new IllegalStateException("failed early");
        }
        return () -> codec.encode(answer(abort));
    }

    private Reply answer(TransferRequest.Abort abort) {
        if (abort.reason().equals("fail")) {
            throw new IllegalStateException("failed");
        }
        if (abort.reason().equals("hold")) {
            hold(abort.transferId());
        }
        return new TransferReply.Abort(true, "", abort.transferId());
    }

    private void hold(String id) {
        try {
            if (!latch(id).await(30, TimeUnit.SECONDS)) {
                throw new AssertionError(id + " was never released");
            }
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public byte[] failure(Throwable cause) {
        ErrorCode code = cause instanceof TransferException known ? known.code() : ErrorCode.INTERNAL;
        return codec.encode(TransferReply.Alloc.failed(code.name(), String.valueOf(cause.getMessage())));
    }
}
