package dev.tandem.transfer.handover;

import java.time.Duration;

import dev.tandem.transfer.channel.ChannelKind;

/**
 * How a transfer that succeeded went.
 *
 * @param chunks that were written
 * @param reused chunks that the receiver had already
 * @param bytes that were written
 * @param channel the fabric
 * @param exposed from the last chunk's computation to its commit
 */
public record TransferOutcome(int chunks, int reused, long bytes, ChannelKind channel, Duration exposed) {}
