package dev.tandem.transfer.channel.tcp;

import java.nio.channels.SocketChannel;
import java.util.List;

import dev.tandem.transfer.channel.MemoryGuard;

/**
 * What two sides that met have, each.
 *
 * @param driven sockets on which this side sends batches
 * @param served sockets on which the other side does
 * @param batchEntries that the other side serves in a batch, at most
 * @param guard of this side's memory
 */
record Rendezvous(
        String name, List<SocketChannel> driven, List<SocketChannel> served, int batchEntries, MemoryGuard guard) {

    Rendezvous {
        driven = List.copyOf(driven);
        served = List.copyOf(served);
    }
}
