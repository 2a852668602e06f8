package dev.tandem.transfer.channel.tcp;

/**
 * What all connections of a channel share.
 *
 * @param regions of this side
 * @param idle watches sockets on which nothing is under way
 * @param workers serve batches
 * @param buffers to move them with
 * @param connections that are open
 */
record TcpNode(
        TcpSettings settings,
        LocalRegions regions,
        IdleSockets idle,
        Workers workers,
        BufferPool buffers,
        Traffic traffic,
        OpenConnections connections) {

    TcpNode(TcpSettings settings, LocalRegions regions, IdleSockets idle, Workers workers) {
        this(settings, regions, idle, workers, new BufferPool(regions), new Traffic(), new OpenConnections());
    }
}
