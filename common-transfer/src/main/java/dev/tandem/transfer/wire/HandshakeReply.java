package dev.tandem.transfer.wire;

/** What a receiver answers on the init port. */
public sealed interface HandshakeReply extends Reply {

    /** Wire name {@code HcclInitResponse}. */
    record Init(OpaqueBytes serverMeta) implements HandshakeReply {}

    /** Wire name {@code HcclMemRegResponse}. */
    record MemReg(OpaqueBytes serverMemHandles) implements HandshakeReply {}

    /**
     * Wire name {@code HcclReadyResponse}.
     *
     * @param ok anything but true is a failure
     * @param peerToken 32 random bytes that every later request of this generation must show; empty from upstream
     * @param receiverIncarnation empty from upstream
     * @param leaseMillis how long a reservation lasts without a heartbeat; 0 from upstream
     * @param heartbeatMillis how often the receiver wants to hear from the sender; 0 from upstream
     */
    record Ready(boolean ok, OpaqueBytes peerToken, String receiverIncarnation, long leaseMillis, long heartbeatMillis)
            implements HandshakeReply {}

    /**
     * Wire name {@code HcclErrorResponse}.
     *
     * @param ok always false; decoded as it stands
     * @param code name of an {@link dev.tandem.transfer.ErrorCode}; empty from upstream
     * @param message for people; empty from upstream
     */
    record Error(boolean ok, String code, String message) implements HandshakeReply {}
}
