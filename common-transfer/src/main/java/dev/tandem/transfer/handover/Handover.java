package dev.tandem.transfer.handover;

import java.util.List;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.KvLayout;
import dev.tandem.transfer.PeerId;

/**
 * What is to be handed over, to whom and by when.
 *
 * @param receiver the rank that gets it
 * @param allocPort where that rank takes allocations
 * @param reqId the request it is for; one attempt, as the receiver's front door named it
 * @param keys of every chunk, in prompt order; known before the first is computed
 * @param layout shape of a chunk
 * @param lastChunkTokens tokens of the last chunk, all others being full
 * @param deadline by which it must have ended
 */
public record Handover(
        PeerId receiver,
        int allocPort,
        String reqId,
        List<ChunkKey> keys,
        KvLayout layout,
        int lastChunkTokens,
        Deadline deadline) {

    public Handover {
        keys = List.copyOf(keys);
    }

    /** Bytes of a chunk. */
    long bytes(int chunk) {
        return chunk == keys.size() - 1 ? layout.chunkBytes(lastChunkTokens) : layout.pageBytes();
    }
}
