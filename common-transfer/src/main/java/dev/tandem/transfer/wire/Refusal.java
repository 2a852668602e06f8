package dev.tandem.transfer.wire;

import java.util.Optional;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/** Tells which replies mean that a request was not done. */
final class Refusal {

    private Refusal() {}

    /**
     * The failure that a reply stands for, whatever was asked; empty if it is an answer. A commit of which some chunks
     * did not match is an answer: it lists them.
     */
    static Optional<TransferException> in(Reply reply) {
        return switch (reply) {
            case HandshakeReply.Error(var _, var code, var message) -> refused(code, message, ErrorCode.INTERNAL);
            case HandshakeReply.Ready ready when !ready.ok() -> refused("", "", ErrorCode.INTERNAL);
            case TransferReply.Alloc alloc
            when alloc.allocFailed() -> refused(alloc.code(), alloc.message(), ErrorCode.POOL_FULL);
            case TransferReply.Commit commit
            when !commit.ok() && commit.badIndexes().isEmpty() ->
                refused(commit.code(), commit.message(), ErrorCode.INTERNAL);
            case TransferReply.Abort abort
            when !abort.ok() -> refused(abort.code(), abort.message(), ErrorCode.INTERNAL);
            case TransferReply.Heartbeat heartbeat
            when !heartbeat.ok() -> refused(heartbeat.code(), heartbeat.message(), ErrorCode.INTERNAL);
            case TransferReply.PullAck ack
            when ack.allocFailed() -> refused(ack.code(), ack.message(), ErrorCode.POOL_FULL);
            case Reply _ -> Optional.empty();
        };
    }

    private static Optional<TransferException> refused(String code, String message, ErrorCode otherwise) {
        return Optional.of(new TransferException(
                ErrorCode.of(code).orElse(otherwise),
                message.isEmpty() ? "refused without a reason (as upstream does)" : message));
    }
}
