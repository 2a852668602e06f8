package dev.tandem.transfer.handover;

import java.time.Duration;

import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.KvLayout;

/**
 * What a receiver grants and for how long.
 *
 * @param incarnation of this process
 * @param rank of this receiver, from 0
 * @param layout shape of a chunk
 * @param allocWait how long an allocation waits for pages
 * @param lease how long a reservation lasts without a heartbeat
 * @param rememberOutcomes how long the outcome of a transfer is kept for repeats
 * @param maxKeys most keys in one request
 * @param foreignPages most pages that senders which cannot commit may hold
 */
public record ReceiverSettings(
        Incarnation incarnation,
        int rank,
        KvLayout layout,
        Duration allocWait,
        Duration lease,
        Duration rememberOutcomes,
        int maxKeys,
        int foreignPages) {}
