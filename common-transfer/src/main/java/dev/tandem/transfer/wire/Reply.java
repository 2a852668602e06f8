package dev.tandem.transfer.wire;

/** An answer to a {@link Request}. */
public sealed interface Reply extends Message permits HandshakeReply, TransferReply {}
