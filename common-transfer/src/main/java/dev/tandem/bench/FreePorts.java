package dev.tandem.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;

/**
 * Picks ports that nobody listens on, each at most once. A picked port is not held: somebody else may still take it before
 * the service binds it, which then says so. Used by one thread.
 */
final class FreePorts {

    private static final int STEP = 10;
    private static final int HIGHEST = 65_535;

    private final Set<Integer> picked = new HashSet<>();

    /**
     * The wanted port, or the next free one in steps of ten.
     *
     * @param wanted 1 to 65535
     * @throws LaunchException if there is none up to 65535
     */
    int near(int wanted) {
        for (int port = wanted; port <= HIGHEST; port += STEP) {
            if (!picked.contains(port) && isFree(port)) {
                picked.add(port);
                return port;
            }
        }
        throw new LaunchException("no free port from %d upwards".formatted(wanted));
    }

    /** Asked twice, since a wildcard address can be bound beside a loopback one on some systems. */
    private static boolean isFree(int port) {
        return canBind(new InetSocketAddress(port))
                && canBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private static boolean canBind(InetSocketAddress address) {
        try (var socket = new ServerSocket()) {
            socket.bind(address);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
