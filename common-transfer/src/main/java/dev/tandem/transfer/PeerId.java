package dev.tandem.transfer;

/**
 * One rank of one remote service, identified by the host and the init port it is reached at.
 *
 * <p>Always compared as a pair, never as a concatenation: "h1" + 23 and "h12" + 3 are different peers.
 *
 * @param host name or address; an IPv6 address is kept without brackets
 * @param initPort port of the peer's handshake server, 1 to 65,535
 */
public record PeerId(String host, int initPort) {

    public PeerId {
        if (host.isBlank()) {
            throw new IllegalArgumentException("host of a peer: must not be blank");
        }
        if (initPort < 1 || initPort > 65_535) {
            throw new IllegalArgumentException("init port of peer %s: %d is not in 1..65535".formatted(host, initPort));
        }
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
    }

    /** The host as it stands in a URL: IPv6 addresses in brackets. */
    public String urlHost() {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    @Override
    public String toString() {
        return urlHost() + ":" + initPort;
    }
}
