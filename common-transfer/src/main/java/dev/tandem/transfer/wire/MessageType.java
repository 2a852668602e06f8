package dev.tandem.transfer.wire;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** What a message calls itself in its {@code type} field. */
enum MessageType {
    INIT_REQUEST("HcclInitRequest"),
    INIT_REPLY("HcclInitResponse"),
    MEM_REG_REQUEST("HcclMemRegRequest"),
    MEM_REG_REPLY("HcclMemRegResponse"),
    READY_REQUEST("HcclReadyRequest"),
    READY_REPLY("HcclReadyResponse"),
    ERROR_REPLY("HcclErrorResponse"),
    ALLOC_REQUEST("AllocRequest"),
    ALLOC_REPLY("AscendAllocResponse"),
    COMMIT_REQUEST("CommitRequest"),
    COMMIT_REPLY("CommitResponse"),
    ABORT_REQUEST("AbortRequest"),
    ABORT_REPLY("AbortResponse"),
    HEARTBEAT("Heartbeat"),
    HEARTBEAT_REPLY("HeartbeatResponse"),
    PULL_READY("PullReadyNotif"),
    PULL_ACK("PullReadyDoneAck"),
    PROXY_NOTIF("ProxyNotif"),
    PULL_DONE("PullDoneSignal");

    /** What a plain LMCache sender wants an allocation reply to be called; nobody sends it to us. */
    static final String PLAIN_ALLOC_REPLY = "AllocResponse";

    private static final Map<String, MessageType> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(type -> type.wireName, Function.identity()));

    private final String wireName;

    MessageType(String wireName) {
        this.wireName = wireName;
    }

    String wireName() {
        return wireName;
    }

    /** @throws MalformedMessageException when no message is called that */
    static MessageType named(String wireName) {
        @Nullable MessageType type = BY_NAME.get(wireName);
        if (type == null) {
            throw new MalformedMessageException("type: %s is not known".formatted(wireName));
        }
        return type;
    }

    static MessageType of(Message message) {
        return switch (message) {
            case HandshakeRequest.Init _ -> INIT_REQUEST;
            case HandshakeReply.Init _ -> INIT_REPLY;
            case HandshakeRequest.MemReg _ -> MEM_REG_REQUEST;
            case HandshakeReply.MemReg _ -> MEM_REG_REPLY;
            case HandshakeRequest.Ready _ -> READY_REQUEST;
            case HandshakeReply.Ready _ -> READY_REPLY;
            case HandshakeReply.Error _ -> ERROR_REPLY;
            case TransferRequest.Alloc _ -> ALLOC_REQUEST;
            case TransferReply.Alloc _ -> ALLOC_REPLY;
            case TransferRequest.Commit _ -> COMMIT_REQUEST;
            case TransferReply.Commit _ -> COMMIT_REPLY;
            case TransferRequest.Abort _ -> ABORT_REQUEST;
            case TransferReply.Abort _ -> ABORT_REPLY;
            case TransferRequest.Heartbeat _ -> HEARTBEAT;
            case TransferReply.Heartbeat _ -> HEARTBEAT_REPLY;
            case TransferRequest.PullReady _ -> PULL_READY;
            case TransferReply.PullAck _ -> PULL_ACK;
            case Notification.ProxyNotif _ -> PROXY_NOTIF;
            case Notification.PullDone _ -> PULL_DONE;
        };
    }
}
