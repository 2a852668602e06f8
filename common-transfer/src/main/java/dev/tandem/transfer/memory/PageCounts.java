package dev.tandem.transfer.memory;

/**
 * How many pages are in which state at one moment: total = free + reserved + committed + quarantined.
 *
 * @param pinned those of the committed pages that may not be evicted
 */
public record PageCounts(int total, int free, int reserved, int committed, int pinned, int quarantined) {}
