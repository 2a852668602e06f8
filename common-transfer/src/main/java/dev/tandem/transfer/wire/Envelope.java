package dev.tandem.transfer.wire;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a reply must begin with: the identity that ROUTER put first, whatever the client put before its empty frame, and
 * the empty frame. A REQ client puts nothing, ours a correlation id.
 */
record Envelope(List<byte[]> frames) {

    private static final int MAX_FRAMES = 8;
    private static final int MAX_FRAME_BYTES = 255;

    Envelope {
        frames = List.copyOf(frames);
    }

    /** The envelope of a message that has one; what follows it is the payload. */
    static Optional<Envelope> of(List<byte[]> message) {
        for (int i = 1; i < Math.min(message.size(), MAX_FRAMES); i++) {
            int length = message.get(i).length;
            if (length == 0) {
                return Optional.of(new Envelope(message.subList(0, i + 1)));
            }
            if (length > MAX_FRAME_BYTES) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** Who sent it: the same as long as its connection lasts. */
    String peer() {
        return HexFormat.of().formatHex(frames.getFirst());
    }

    List<byte[]> payload(List<byte[]> message) {
        return message.subList(frames.size(), message.size());
    }

    List<byte[]> around(byte[] reply) {
        return Stream.concat(frames.stream(), Stream.of(reply)).toList();
    }
}
