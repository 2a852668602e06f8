package dev.tandem.transfer.wire;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Where a socket binds or connects, as an address. Names are resolved before ZeroMQ sees them: it would look them up
 * again at each reconnect, on the one thread that serves every socket.
 *
 * @param url {@code tcp://address:port}
 * @param ipv6 which kind of address it is
 */
record Endpoint(String url, boolean ipv6) {

    /** The endpoint of an address that needs no looking up; empty for a name. */
    static Optional<Endpoint> ofAddress(String host, int port) {
        try {
            return Optional.of(of(InetAddress.ofLiteral(host), port));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Looks a name up; may block for seconds. Of several addresses the first counts. */
    static Endpoint lookUp(String host, int port) throws UnknownHostException {
        return of(InetAddress.getByName(host), port);
    }

    private static Endpoint of(InetAddress address, int port) {
        boolean ipv6 = address instanceof Inet6Address;
        return new Endpoint(display(address.getHostAddress(), port), ipv6);
    }

    /** {@code tcp://host:port} with an IPv6 address in brackets. */
    static String display(String host, int port) {
        return "tcp://%s:%d".formatted(host.indexOf(':') >= 0 ? "[" + host + "]" : host, port);
    }
}
