package dev.tandem.transfer.wire;

/**
 * Messages to bytes and back (docs/protocol.md). Decoding is strict and says what is wrong; each port names the kind of
 * message it expects. Stateless, thread-safe.
 */
public final class MessageCodec {

    private final MessageEncoder encoder = new MessageEncoder();
    private final MessageDecoder decoder = new MessageDecoder();

    public byte[] encode(Message message) {
        return switch (message) {
            case Request<?> request -> encoder.encode(request);
            case Reply reply -> encoder.encode(reply);
            case Notification notification -> encoder.encode(notification);
        };
    }

    /** Encodes a reply of the alloc port for the senders it is meant for. */
    public byte[] encode(TransferReply reply, AllocDialect dialect) {
        return switch (dialect) {
            case ASCEND -> encoder.encode(reply);
            case LMCACHE -> encoder.encodePlain(reply);
        };
    }

    /** @throws MalformedMessageException when the payload is no request of the init port */
    public HandshakeRequest<?> decodeHandshakeRequest(byte[] payload) {
        return decode(payload, HandshakeRequest.class, "request of the init port");
    }

    /** @throws MalformedMessageException when the payload is no request of the alloc port */
    public TransferRequest<?> decodeTransferRequest(byte[] payload) {
        return decode(payload, TransferRequest.class, "request of the alloc port");
    }

    /** @throws MalformedMessageException when the payload is no reply */
    public Reply decodeReply(byte[] payload) {
        return decode(payload, Reply.class, "reply");
    }

    /** @throws MalformedMessageException when the payload is no notification */
    public Notification decodeNotification(byte[] payload) {
        return decode(payload, Notification.class, "notification");
    }

    private <M extends Message> M decode(byte[] payload, Class<M> wanted, String kind) {
        Message message = decoder.decode(payload);
        if (!wanted.isInstance(message)) {
            throw new MalformedMessageException("type: expected a %s, got %s"
                    .formatted(kind, MessageType.of(message).wireName()));
        }
        return wanted.cast(message);
    }
}
