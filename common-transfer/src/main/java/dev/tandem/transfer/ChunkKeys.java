package dev.tandem.transfer;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Makes the keys of a prompt's chunks: a hash chain over the prefix, so that equal prefixes share keys and nothing
 * else does.
 *
 * <p>Each hash is SHA-256 over the hash before it and the chunk's token ids (32-bit, big-endian), cut to 128 bits: a
 * key that two prompts shared by accident would let one read the other's KV.
 *
 * @param model model id, part of every key; must not contain {@code @}
 * @param worldSize number of ranks
 * @param rank the rank whose KV the keys name, from 0
 * @param layout shape of a chunk
 */
public record ChunkKeys(String model, int worldSize, int rank, KvLayout layout) {

    /** Name of the hash scheme, compared in the handshake. */
    public static final String SCHEME = "sha256-128";

    public ChunkKeys {
        if (model.isEmpty() || model.indexOf('@') >= 0) {
            throw new IllegalArgumentException("model id '%s': must not be empty nor contain '@'".formatted(model));
        }
        if (rank < 0 || rank >= worldSize) {
            throw new IllegalArgumentException("rank %d: not in 0..%d".formatted(rank, worldSize - 1));
        }
    }

    /** Keys of all chunks of the first {@code length} tokens; the last one is partial unless it happens to be full. */
    public List<ChunkKey> of(int[] tokens, int length) {
        if (length < 0 || length > tokens.length) {
            throw new IllegalArgumentException("length %d: there are %d tokens".formatted(length, tokens.length));
        }
        MessageDigest digest = sha256();
        var hash = new byte[0];
        var keys = new ArrayList<ChunkKey>();
        for (int from = 0; from < length; from += layout.chunkTokens()) {
            int to = Math.min(length, from + layout.chunkTokens());
            digest.update(hash);
            digest.update(bytes(tokens, from, to));
            hash = Arrays.copyOf(digest.digest(), 16);
            keys.add(key(hash));
        }
        return keys;
    }

    private ChunkKey key(byte[] hash) {
        return new ChunkKey("%s@%d@%d@%s@%s"
                .formatted(
                        model,
                        worldSize,
                        rank,
                        HexFormat.of().formatHex(hash),
                        layout.dataType().wireName()));
    }

    private static byte[] bytes(int[] tokens, int from, int to) {
        ByteBuffer buffer = ByteBuffer.allocate((to - from) * Integer.BYTES);
        for (int i = from; i < to; i++) {
            buffer.putInt(tokens[i]);
        }
        return buffer.array();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
