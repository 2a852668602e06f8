package dev.tandem.transfer.peer;

import java.util.function.Supplier;

import dev.tandem.transfer.wire.MessageCodec;
import dev.tandem.transfer.wire.RequestServer;

/** The init port: bytes to handshake requests, replies to bytes. Every request gets a reply. */
public final class InitPort implements RequestServer.Handler {

    private final ReceiverHandshakes handshakes;
    private final MessageCodec codec;

    public InitPort(ReceiverHandshakes handshakes, MessageCodec codec) {
        this.handshakes = handshakes;
        this.codec = codec;
    }

    @Override
    public Supplier<byte[]> accept(byte[] payload) {
        var rest = handshakes.accept(codec.decodeHandshakeRequest(payload));
        return () -> codec.encode(rest.get());
    }

    @Override
    public byte[] failure(Throwable cause) {
        return codec.encode(handshakes.refusal(cause));
    }
}
