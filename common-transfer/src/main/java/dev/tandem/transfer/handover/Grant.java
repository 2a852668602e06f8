package dev.tandem.transfer.handover;

import java.util.BitSet;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.peer.OutboundSession;
import dev.tandem.transfer.wire.TransferReply;

/** Where a receiver wants each chunk, checked: one region, page index and token per chunk that it has not. */
final class Grant {

    private final BitSet present;
    private final RemoteRegion[] regions;
    private final long[] indexes;
    private final long[] tokens;

    private Grant(BitSet present, int chunks) {
        this.present = present;
        this.regions = new RemoteRegion[chunks];
        this.indexes = new long[chunks];
        this.tokens = new long[chunks];
    }

    /** @throws TransferException INTERNAL or MEMORY_REJECTED when the reply does not add up */
    static Grant of(TransferReply.Alloc reply, int chunks, OutboundSession session) {
        var present = new BitSet();
        for (long index : reply.alreadySentIndexes()) {
            require(index >= 0 && index < chunks, "already_sent_indexes: %d, there are %d keys", index, chunks);
            present.set((int) index);
        }
        int wanted = chunks - present.cardinality();
        require(
                reply.remoteIndexes().size() == wanted
                        && reply.remoteBufferUuids().size() == wanted
                        && reply.writeTokens().size() == wanted,
                "%d remote_indexes for %d keys to write",
                reply.remoteIndexes().size(),
                wanted);
        var grant = new Grant(present, chunks);
        int entry = 0;
        for (int chunk = present.nextClearBit(0); chunk < chunks; chunk = present.nextClearBit(chunk + 1)) {
            grant.regions[chunk] = session.region(reply.remoteBufferUuids().get(entry));
            grant.indexes[chunk] = reply.remoteIndexes().get(entry);
            grant.tokens[chunk] = reply.writeTokens().get(entry);
            entry++;
        }
        return grant;
    }

    /** Chunks that the receiver has already. */
    BitSet present() {
        return present;
    }

    RemoteRegion region(int chunk) {
        return regions[chunk];
    }

    /** Where the chunk's page begins in its region. */
    long offset(int chunk, long pageBytes) {
        long offset = Math.multiplyExact(indexes[chunk], pageBytes);
        require(
                offset >= 0 && offset <= regions[chunk].bytes() - pageBytes,
                "remote_indexes: page %d of a buffer of %d pages",
                indexes[chunk],
                regions[chunk].bytes() / pageBytes);
        return offset;
    }

    long token(int chunk) {
        return tokens[chunk];
    }

    private static void require(boolean holds, String message, Object... values) {
        if (!holds) {
            throw new TransferException(ErrorCode.INTERNAL, "allocation reply: " + message.formatted(values));
        }
    }
}
