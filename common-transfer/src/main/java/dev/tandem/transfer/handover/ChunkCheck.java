package dev.tandem.transfer.handover;

import java.util.Arrays;
import java.util.List;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.DataType;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.KvFormat;
import dev.tandem.transfer.KvLayout;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.wire.TransferRequest;

/**
 * Turns what a peer says of its chunks into keys and sizes, or refuses it naming the field and the value (docs/protocol.md,
 * "Allocation").
 */
final class ChunkCheck {

    private final KvLayout layout;
    private final int maxKeys;

    ChunkCheck(KvLayout layout, int maxKeys) {
        this.layout = layout;
        this.maxKeys = maxKeys;
    }

    List<ChunkKey> keys(TransferRequest.Chunks chunks) {
        if (chunks.keys().size() > maxKeys) {
            throw bad("keys", chunks.keys().size() + " keys", "at most " + maxKeys);
        }
        try {
            return chunks.keys().stream().map(ChunkKey::new).toList();
        } catch (IllegalArgumentException e) {
            throw new TransferException(ErrorCode.BAD_REQUEST, "keys: " + e.getMessage(), e);
        }
    }

    /** Bytes of each chunk: all are full but the last. */
    long[] bytes(TransferRequest.Chunks chunks) {
        requireLayout(chunks);
        var bytes = new long[chunks.keys().size()];
        Arrays.fill(bytes, layout.pageBytes());
        if (bytes.length > 0) {
            bytes[bytes.length - 1] = layout.chunkBytes(lastTokens(chunks));
        }
        return bytes;
    }

    private void requireLayout(TransferRequest.Chunks chunks) {
        if (KvFormat.of(chunks.fmt()).orElse(null) != layout.format()) {
            throw bad(
                    "fmt",
                    Long.toString(chunks.fmt()),
                    "%d (%s)".formatted(layout.format().number(), layout.format()));
        }
        if (DataType.of(chunks.dtype()).orElse(null) != layout.dataType()) {
            throw bad("dtype", chunks.dtype(), layout.dataType().wireName());
        }
        List<Long> shape = chunks.shape();
        boolean same = shape.size() == layout.shape().size();
        for (int dimension = 0; same && dimension < shape.size(); dimension++) {
            long size = shape.get(dimension);
            same = size == layout.shape().get(dimension)
                    || (dimension == layout.format().tokenDimension()
                            && chunks.keys().size() == 1
                            && size == chunks.lastChunkTokens());
        }
        if (!same) {
            throw bad("shape", shape.toString(), layout.shape().toString());
        }
    }

    private int lastTokens(TransferRequest.Chunks chunks) {
        long tokens = chunks.lastChunkTokens();
        if (tokens < 1 || tokens > layout.chunkTokens()) {
            throw bad("last_chunk_toks", Long.toString(tokens), "1.." + layout.chunkTokens());
        }
        return (int) tokens;
    }

    private static TransferException bad(String field, String value, String wanted) {
        return new TransferException(
                ErrorCode.BAD_REQUEST, "%s: %s, this receiver takes %s".formatted(field, value, wanted));
    }
}
