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
        return dialect == AllocDialect.LMCACHE && reply instanceof TransferReply.Alloc alloc
                ? encoder.encodePlain(alloc)
                : encoder.encode(reply);
    }

    /** @throws MalformedMessageException when the payload is no request of the init port */
    public HandshakeRequest<?> decodeHandshakeRequest(byte[] payload) {
        if (decoder.decode(payload) instanceof HandshakeRequest<?> request) {
            return request;
        }
        throw new MalformedMessageException("type: no request of the init port");
    }

    /** @throws MalformedMessageException when the payload is no request of the alloc port */
    public TransferRequest<?> decodeTransferRequest(byte[] payload) {
        if (decoder.decode(payload) instanceof TransferRequest<?> request) {
            return request;
        }
        throw new MalformedMessageException("type: no request of the alloc port");
    }

    /** @throws MalformedMessageException when the payload is no reply */
    public Reply decodeReply(byte[] payload) {
        if (decoder.decode(payload) instanceof Reply reply) {
            return reply;
        }
        throw new MalformedMessageException("type: no reply");
    }

    /** @throws MalformedMessageException when the payload is no notification */
    public Notification decodeNotification(byte[] payload) {
        if (decoder.decode(payload) instanceof Notification notification) {
            return notification;
        }
        throw new MalformedMessageException("type: no notification");
    }
}
