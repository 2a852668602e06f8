package dev.tandem.transfer.handover;

import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.wire.AllocDialect;
import dev.tandem.transfer.wire.MessageCodec;
import dev.tandem.transfer.wire.RequestServer;
import dev.tandem.transfer.wire.TransferReply;
import dev.tandem.transfer.wire.TransferRequest;

/** The alloc port: bytes to requests of a transfer, replies to bytes. Every request gets a reply, in its own shape. */
public final class AllocPort implements RequestServer.Handler {

    private static final Logger log = LoggerFactory.getLogger(AllocPort.class);

    private final Receiver receiver;
    private final MessageCodec codec;
    private final AllocDialect dialect;
    private final TransferMetrics metrics;

    public AllocPort(Receiver receiver, MessageCodec codec, AllocDialect dialect, TransferMetrics metrics) {
        this.receiver = receiver;
        this.codec = codec;
        this.dialect = dialect;
        this.metrics = metrics;
    }

    @Override
    public Supplier<byte[]> accept(byte[] payload) {
        TransferRequest<?> request = codec.decodeTransferRequest(payload);
        return () -> codec.encode(answer(request), dialect);
    }

    private TransferReply answer(TransferRequest<?> request) {
        try {
            return receiver.answer(request);
        } catch (TransferException e) {
            metrics.messageRejected(e.code().name());
            return Receiver.refusal(request, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Receiver.refusal(request, new TransferException(ErrorCode.DRAINING, "shutting down", e));
        } catch (RuntimeException e) {
            log.error("alloc port: a request failed", e);
            return Receiver.refusal(request, new TransferException(ErrorCode.INTERNAL, "the receiver failed: " + e, e));
        }
    }

    @Override
    public byte[] failure(Throwable cause) {
        metrics.messageRejected("malformed");
        String code = cause instanceof TransferException known ? known.code().name() : ErrorCode.INTERNAL.name();
        return codec.encode(TransferReply.Alloc.failed(code, String.valueOf(cause.getMessage())), dialect);
    }
}
