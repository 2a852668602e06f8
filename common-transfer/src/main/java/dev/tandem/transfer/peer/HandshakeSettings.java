package dev.tandem.transfer.peer;

import java.time.Duration;

import dev.tandem.transfer.Incarnation;

/**
 * What a node says in its handshakes and how long it waits for the other side.
 *
 * @param localId this sender's name at its receivers; opaque to them, unique among their senders
 * @param incarnation of this process
 * @param rank of this node, from 0
 * @param allocPort where this receiver takes allocations; 0 for a sender
 * @param compatibility what both sides must share
 * @param stepTimeout how long one step of a handshake may take, the accept included
 * @param lease how long a reservation lasts without a heartbeat
 * @param heartbeat how often a sender says that it lives
 * @param maxBackoff longest pause between two attempts to greet a peer
 */
public record HandshakeSettings(
        String localId,
        Incarnation incarnation,
        int rank,
        int allocPort,
        Compatibility compatibility,
        Duration stepTimeout,
        Duration lease,
        Duration heartbeat,
        Duration maxBackoff) {

    /** Name of one generation's connection: unique over processes and time, known to both sides after Init. */
    static String connectionName(String localId, String sender, Incarnation receiver, long generation) {
        return "%s-%s-%d-%08x".formatted(sender, receiver, generation, localId.hashCode());
    }
}
