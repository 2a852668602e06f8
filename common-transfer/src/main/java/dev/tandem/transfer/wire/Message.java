package dev.tandem.transfer.wire;

/** Everything that crosses a side-channel port: one ZeroMQ message part, one MessagePack map. */
public sealed interface Message permits Request, Reply, Notification {}
