package dev.tandem.transfer.channel.tcp;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * How a node's TCP fabric listens and waits.
 *
 * @param bindAddress the data port listens on
 * @param advertisedHost under which peers reach it
 * @param port the data port; 0 takes any free port
 * @param connectionsPerPeer sockets on which one peer's batches run side by side, 1 to 64; two nodes use the smaller
 *     of their numbers
 * @param limits on what others may make this node hold
 * @param patience with others
 */
public record TcpSettings(
        String bindAddress, String advertisedHost, int port, int connectionsPerPeer, Limits limits, Patience patience) {

    static final int MOST_CONNECTIONS = 64;
    static final int MOST_ENTRIES = 65_536;
    static final int LONGEST_HOST = 255;

    public TcpSettings {
        requireText("bind address", bindAddress);
        requireText("advertised host", advertisedHost);
        requireWithin("port", port, 0, 65_535);
        requireWithin("connections per peer", connectionsPerPeer, 1, MOST_CONNECTIONS);
    }

    /** With the usual limits and patience. */
    public static TcpSettings of(String bindAddress, String advertisedHost, int port, int connectionsPerPeer) {
        return new TcpSettings(
                bindAddress, advertisedHost, port, connectionsPerPeer, Limits.DEFAULTS, Patience.DEFAULTS);
    }

    private static void requireText(String what, String value) {
        if (value.isBlank() || value.getBytes(StandardCharsets.UTF_8).length > LONGEST_HOST) {
            throw new IllegalArgumentException(
                    "%s: %s is empty or longer than %d bytes".formatted(what, value, LONGEST_HOST));
        }
    }

    private static void requireWithin(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("%s: %d is not in %d..%d".formatted(what, value, least, most));
        }
    }

    /**
     * What others may make this node hold.
     *
     * @param batchEntries most entries in a batch, 1 to 65,536; 32 bytes each are held while it is served
     * @param strangers most sockets that have not shown a tag yet, 1 to 65,536; beyond that the oldest is closed
     * @param workers most threads that serve batches, 1 to 4,096; more batches wait their turn
     */
    public record Limits(int batchEntries, int strangers, int workers) {

        public static final Limits DEFAULTS = new Limits(16_384, 1024, 256);

        public Limits {
            requireWithin("batch entries", batchEntries, 1, MOST_ENTRIES);
            requireWithin("strangers", strangers, 1, 65_536);
            requireWithin("workers", workers, 1, 4096);
        }
    }

    /**
     * How long others may take.
     *
     * @param hello until a stranger has shown its tag
     * @param progress without a byte moving while a peer's batch is served
     */
    public record Patience(Duration hello, Duration progress) {

        public static final Patience DEFAULTS = new Patience(Duration.ofSeconds(5), Duration.ofSeconds(10));

        public Patience {
            requirePositive("hello time-out", hello);
            requirePositive("progress time-out", progress);
        }

        private static void requirePositive(String what, Duration value) {
            if (!value.isPositive() || value.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException("%s: %s is not positive and at most a day".formatted(what, value));
            }
        }
    }
}
