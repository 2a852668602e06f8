package dev.tandem.transfer;

/** Who moves the bytes, and when. */
public enum TransferMode {
    /** The sender writes into pages that the receiver reserved. */
    PUSH,
    /** The receiver reads from the sender's pages before it acknowledges. */
    PULL,
    /** The receiver acknowledges first and reads when its engine asks. */
    DEFERRED_PULL
}
