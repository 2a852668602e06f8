package dev.tandem.transfer.channel.tcp;

import java.time.Duration;

/**
 * How a node's TCP fabric listens and waits.
 *
 * @param bindAddress the data port listens on
 * @param advertisedHost under which peers reach it
 * @param port the data port; 0 takes any free port
 * @param connectionsPerPeer sockets on which one peer's batches run side by side, 1 to 64
 * @param helloTimeout how long a stranger may take to say who it is
 * @param progressTimeout how long a batch under way may stand still
 */
public record TcpSettings(
        String bindAddress,
        String advertisedHost,
        int port,
        int connectionsPerPeer,
        Duration helloTimeout,
        Duration progressTimeout) {

    public TcpSettings {
        if (connectionsPerPeer < 1 || connectionsPerPeer > 64) {
            throw new IllegalArgumentException(
                    "connections per peer: %d is not in 1..64".formatted(connectionsPerPeer));
        }
    }

    /** With the usual patience: 5 s for a hello, 10 s without progress. */
    public static TcpSettings of(String bindAddress, String advertisedHost, int port, int connectionsPerPeer) {
        return new TcpSettings(
                bindAddress, advertisedHost, port, connectionsPerPeer, Duration.ofSeconds(5), Duration.ofSeconds(10));
    }
}
