package dev.tandem.transfer.handover;

import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.memory.ChunkStore;

/** Lets a peer write into what it reserved and read what is committed, and nothing else. */
public record StoreGuard(ChunkStore store) implements MemoryGuard {

    @Override
    public boolean beginWrite(String region, long offset, long bytes, long token) {
        return store.beginWrite(region, offset, bytes, token);
    }

    @Override
    public void endWrite(String region, long offset) {
        store.endWrite(region, offset);
    }

    @Override
    public boolean beginRead(String region, long offset, long bytes, long token) {
        return store.beginRead(region, offset, bytes, token);
    }

    @Override
    public void endRead(String region, long offset) {
        store.endRead(region, offset);
    }
}
