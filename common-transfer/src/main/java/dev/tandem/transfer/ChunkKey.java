package dev.tandem.transfer;

import java.nio.charset.StandardCharsets;

/**
 * Names the KV of one chunk of one rank. Equal prefixes share keys, since the hash in a key covers the whole prefix.
 *
 * <p>Written {@code model_name@world_size@worker_id@chunk_hash_hex@dtype[@tag%value...]}; opaque to the store.
 *
 * @param value at most {@value #MAX_BYTES} bytes of UTF-8
 */
public record ChunkKey(String value) {

    public static final int MAX_BYTES = 1024;

    public ChunkKey {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("chunk key: must not be empty");
        }
        if (value.length() > MAX_BYTES || value.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new IllegalArgumentException("chunk key: longer than %d bytes".formatted(MAX_BYTES));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
