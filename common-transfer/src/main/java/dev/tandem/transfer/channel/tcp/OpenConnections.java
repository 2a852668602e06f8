package dev.tandem.transfer.channel.tcp;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.tandem.transfer.Deadline;

/** The connections of a channel that are open. Thread-safe. */
final class OpenConnections {

    private final Set<TcpConnection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** One that comes too late is closed at once. */
    void add(TcpConnection connection) {
        open.add(connection);
        if (closed) {
            connection.close();
        }
    }

    void remove(TcpConnection connection) {
        open.remove(connection);
    }

    int count() {
        return open.size();
    }

    /**
     * Closes all, now and from now on.
     *
     * @return whether no byte can land any more, in memory of this side
     */
    boolean fenceAll(Deadline deadline) {
        closed = true;
        List<TcpConnection> all = List.copyOf(open);
        all.forEach(TcpConnection::close);
        return all.stream().allMatch(connection -> connection.fence(deadline));
    }
}
