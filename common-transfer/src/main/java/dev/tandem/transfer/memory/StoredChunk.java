package dev.tandem.transfer.memory;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.PageRef;

/**
 * A committed chunk as it was when asked for. Holds nothing: take a {@link Lease} to read it.
 *
 * @param bytes size of the chunk, at most that of a page
 * @param pins allocations, leases and reads under way that keep it
 * @param ageNanos since its commit
 */
public record StoredChunk(ChunkKey key, PageRef page, long bytes, int pins, long ageNanos) {}
