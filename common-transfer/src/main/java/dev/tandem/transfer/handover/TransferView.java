package dev.tandem.transfer.handover;

import java.time.Duration;

/**
 * What can be told of a transfer at one moment.
 *
 * @param transferId names the attempt
 * @param reqId the request it is for
 * @param peer the other side
 * @param direction {@code incoming} or {@code outgoing}
 * @param state {@code OPEN}, {@code COMPLETE}, or the code it ended with
 * @param chunks of the whole transfer
 * @param leaseLeft until an open one expires without a heartbeat
 * @param error why it ended; empty otherwise
 */
public record TransferView(
        String transferId,
        String reqId,
        String peer,
        String direction,
        String state,
        int chunks,
        Duration leaseLeft,
        String error) {}
