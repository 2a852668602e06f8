package dev.tandem.transfer.wire;

import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * The sockets of one client: one for new requests, and those retired after a time-out on which replies may still come.
 * Everything happens on the clients' thread.
 */
final class RequestLines implements RequestLine.Client {

    /** Beyond these, one on which nobody waits is closed. */
    private static final int MAX_RETIRED = 4;

    private final ZmqSockets sockets;
    private final String host;
    private final int port;
    private final BiConsumer<@Nullable Exchange, byte[]> late;
    private final Set<RequestLine> retired = new LinkedHashSet<>();
    private @Nullable RequestLine current;
    private @Nullable TransferException closed;

    /** @param late gets replies that nobody waits for, with their exchange if that is known */
    RequestLines(ZmqSockets sockets, String host, int port, BiConsumer<@Nullable Exchange, byte[]> late) {
        this.sockets = sockets;
        this.host = host;
        this.port = port;
        this.late = late;
    }

    void send(Exchange exchange) {
        if (closed != null) {
            exchange.fail(closed);
        } else if (!exchange.ended()) {
            line().send(exchange);
        }
    }

    private RequestLine line() {
        if (current == null) {
            current = new RequestLine(this, Endpoint.display(host, port));
            connect(current);
        }
        return current;
    }

    private void connect(RequestLine line) {
        Optional<Endpoint> address = Endpoint.ofAddress(host, port);
        if (address.isPresent()) {
            sockets.clients().execute(() -> connect(line, address.get()));
        } else {
            Thread.ofVirtual().name("look-up-" + host).start(() -> lookUp(line));
        }
    }

    /** Looking up a name may take seconds, in which other clients go on. */
    private void lookUp(RequestLine line) {
        try {
            Endpoint endpoint = Endpoint.lookUp(host, port);
            sockets.clients().execute(() -> connect(line, endpoint));
        } catch (UnknownHostException e) {
            sockets.clients().execute(() -> line.fail(failure("no such host", e)));
        }
    }

    private void connect(RequestLine line, Endpoint endpoint) {
        try {
            line.connect(sockets, endpoint);
        } catch (RuntimeException e) {
            line.fail(failure("no socket for it: " + e.getMessage(), e));
        }
    }

    private TransferException failure(String why, Exception cause) {
        String text = "%s: %s".formatted(Endpoint.display(host, port), why);
        return new TransferException(ErrorCode.PEER_LOST, text, cause);
    }

    /** The peer did not answer in time: nothing new goes where this request went. */
    void timedOut(Exchange exchange) {
        @Nullable RequestLine line = giveUp(exchange);
        if (line != null && line == current) {
            current = null;
            retired.add(line);
            line.retire().forEach(this::send);
            closeSurplus();
        }
    }

    /** Nobody waits for this reply any more. Returns the line that it was given to. */
    @Nullable
    RequestLine giveUp(Exchange exchange) {
        for (RequestLine line : all()) {
            if (line.giveUp(exchange)) {
                return line;
            }
        }
        return null;
    }

    private List<RequestLine> all() {
        var all = new ArrayList<RequestLine>(retired);
        if (current != null) {
            all.add(current);
        }
        return all;
    }

    private void closeSurplus() {
        List.copyOf(retired).stream()
                .filter(line -> !line.awaited())
                .limit(Math.max(0, retired.size() - MAX_RETIRED))
                .forEach(RequestLine::close);
    }

    void close(TransferException cause) {
        closed = cause;
        all().forEach(line -> line.fail(cause));
    }

    @Override
    public void late(@Nullable Exchange exchange, byte[] payload) {
        late.accept(exchange, payload);
    }

    @Override
    public void closed(RequestLine line) {
        retired.remove(line);
        if (current == line) {
            current = null;
        }
    }
}
