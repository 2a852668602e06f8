package dev.tandem.transfer.wire;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import dev.tandem.transfer.ErrorCode;

import static org.assertj.core.api.Assertions.assertThat;

class RefusalTest {

    private static final String NO_REASON = "refused without a reason (as upstream does)";

    /** A reply, the code that it must lead to, and the message. */
    record Case(Reply reply, ErrorCode code, String message) {}

    static final List<Case> REFUSALS = List.of(
            new Case(new HandshakeReply.Error(false, "STALE", "old"), ErrorCode.STALE, "old"),
            new Case(new HandshakeReply.Error(true, "", ""), ErrorCode.INTERNAL, NO_REASON),
            new Case(new HandshakeReply.Error(false, "NEW_IN_A_LATER_VERSION", "m"), ErrorCode.INTERNAL, "m"),
            new Case(new HandshakeReply.Ready(false, OpaqueBytes.EMPTY, "", 0, 0), ErrorCode.INTERNAL, NO_REASON),
            new Case(TransferReply.Alloc.failed("TOO_LARGE", "9 pages of 8"), ErrorCode.TOO_LARGE, "9 pages of 8"),
            new Case(TransferReply.Alloc.failed("", ""), ErrorCode.POOL_FULL, NO_REASON),
            new Case(new TransferReply.Commit(false, List.of(), "STALE", "m"), ErrorCode.STALE, "m"),
            new Case(new TransferReply.Commit(false, List.of(), "", ""), ErrorCode.INTERNAL, NO_REASON),
            new Case(new TransferReply.Abort(false, "UNKNOWN_TRANSFER", "m"), ErrorCode.UNKNOWN_TRANSFER, "m"),
            new Case(
                    new TransferReply.Heartbeat("", "", List.of(), false, "UNKNOWN_PEER", "m"),
                    ErrorCode.UNKNOWN_PEER,
                    "m"),
            new Case(new TransferReply.PullAck(List.of(), true, "", ""), ErrorCode.POOL_FULL, NO_REASON));

    static final List<Reply> ANSWERS = List.of(
            new HandshakeReply.Init(OpaqueBytes.EMPTY),
            new HandshakeReply.MemReg(OpaqueBytes.EMPTY),
            new HandshakeReply.Ready(true, OpaqueBytes.EMPTY, "", 0, 0),
            new TransferReply.Alloc(List.of(), List.of(), List.of(), false, 0, List.of(), "", ""),
            new TransferReply.Commit(true, List.of(), "", ""),
            new TransferReply.Commit(false, List.of(3L), "CHECKSUM_MISMATCH", "m"),
            new TransferReply.Abort(true, "", ""),
            new TransferReply.Heartbeat("r", "ready", List.of(), true, "", ""),
            new TransferReply.PullAck(List.of(), false, "", ""));

    @ParameterizedTest
    @FieldSource("REFUSALS")
    void aRefusalKeepsItsCodeAndReason(Case refused) {
        assertThat(Refusal.in(refused.reply())).hasValueSatisfying(e -> {
            assertThat(e.code()).isEqualTo(refused.code());
            assertThat(e.message()).isEqualTo(refused.message());
        });
    }

    @ParameterizedTest
    @FieldSource("ANSWERS")
    void anAnswerIsNoRefusal(Reply answer) {
        assertThat(Refusal.in(answer)).isEmpty();
    }

    @Test
    void everyReplyIsTriedAsAnAnswer() {
        assertThat(ANSWERS.stream().map(Object::getClass).distinct()).hasSize(8);
    }
}
