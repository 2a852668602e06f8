package dev.tandem.transfer.channel.tcp;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * What every connection of a channel shares.
 *
 * @param regions of this side
 * @param idle watches sockets on which nothing is under way
 * @param workers platform threads that serve batches
 * @param connections that are open
 */
record TcpEnvironment(
        TcpSettings settings,
        LocalRegions regions,
        IdleSockets idle,
        Executor workers,
        Set<TcpConnection> connections) {

    TcpEnvironment(TcpSettings settings, LocalRegions regions, IdleSockets idle, Executor workers) {
        this(settings, regions, idle, workers, ConcurrentHashMap.newKeySet());
    }

    void forget(TcpConnection connection) {
        connections.remove(connection);
    }
}
