package dev.tandem.transfer.wire;

/**
 * What a sender says on the init port, in this order (docs/protocol.md, "Handshake").
 *
 * <p>{@code localId} is the sender's opaque name. {@code generation} counts its handshakes with this receiver within
 * one incarnation; 0 and an empty incarnation mean that it did not say (upstream).
 */
public sealed interface HandshakeRequest<R extends Reply> extends Request<R> {

    String localId();

    long generation();

    String incarnation();

    /** Wire name {@code HcclInitRequest}. */
    record Init(String localId, OpaqueBytes clientMeta, long generation, String incarnation)
            implements HandshakeRequest<HandshakeReply.Init> {
        @Override
        public Class<HandshakeReply.Init> replyType() {
            return HandshakeReply.Init.class;
        }
    }

    /** Wire name {@code HcclMemRegRequest}. */
    record MemReg(String localId, OpaqueBytes clientMemHandles, long generation, String incarnation)
            implements HandshakeRequest<HandshakeReply.MemReg> {
        @Override
        public Class<HandshakeReply.MemReg> replyType() {
            return HandshakeReply.MemReg.class;
        }
    }

    /** Wire name {@code HcclReadyRequest}. */
    record Ready(String localId, long generation, String incarnation)
            implements HandshakeRequest<HandshakeReply.Ready> {
        @Override
        public Class<HandshakeReply.Ready> replyType() {
            return HandshakeReply.Ready.class;
        }
    }
}
