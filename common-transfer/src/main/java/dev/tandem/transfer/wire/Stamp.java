package dev.tandem.transfer.wire;

/**
 * Who sends a request and for whom it is meant. Every part is empty in messages of upstream senders.
 *
 * @param senderId the {@code local_id} of the sender's handshake
 * @param incarnation the sender's process start
 * @param peerToken what the receiver gave out with Ready
 * @param receiverIncarnation the process the request is meant for; refused as STALE by any other
 */
public record Stamp(String senderId, String incarnation, OpaqueBytes peerToken, String receiverIncarnation) {

    public static final Stamp NONE = new Stamp("", "", OpaqueBytes.EMPTY, "");
}
