package dev.tandem.engine;

import java.util.List;

import dev.tandem.transfer.DataType;
import dev.tandem.transfer.KvFormat;
import dev.tandem.transfer.KvLayout;

/** How a model's KV heads are spread over ranks and chunks: rank r holds the r-th of equal shares, in order. */
record KvGeometry(int layers, int kvHeads, int headSize, int ranks, int chunkTokens) {

    KvGeometry {
        if (kvHeads % ranks != 0) {
            throw new IllegalArgumentException(
                    "ranks: %d do not divide the model's %d KV heads".formatted(ranks, kvHeads));
        }
    }

    /** Shape of one rank's chunk. */
    KvLayout layout() {
        return new KvLayout(KvFormat.KV_2LTD, DataType.FLOAT, List.of(2, layers, chunkTokens, rankWidth()));
    }

    /** Width of one token's keys (or values) on one rank. */
    int rankWidth() {
        return headsOfRank() * headSize;
    }

    int rankOf(int head) {
        return head / headsOfRank();
    }

    /** Where a head begins within its rank's keys (or values) of a token. */
    int columnOf(int head) {
        return head % headsOfRank() * headSize;
    }

    private int headsOfRank() {
        return kvHeads / ranks;
    }
}
