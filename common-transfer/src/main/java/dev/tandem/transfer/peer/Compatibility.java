package dev.tandem.transfer.peer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import dev.tandem.transfer.ChunkKeys;
import dev.tandem.transfer.KvLayout;

/**
 * What two services must share to exchange KV, checked in the handshake and never discovered later.
 *
 * @param fields by name, in the order in which they are compared; values as text
 */
public record Compatibility(Map<String, String> fields) {

    /** Version of the additions to upstream's protocol. */
    static final int PROTOCOL = 1;

    public Compatibility {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /** Of a service that runs {@code model} over {@code ranks} ranks, each with chunks of this layout. */
    public static Compatibility of(String model, int ranks, KvLayout layout) {
        var fields = new LinkedHashMap<String, String>();
        fields.put("protocol", Integer.toString(PROTOCOL));
        fields.put("model", model);
        fields.put("tp", Integer.toString(ranks));
        fields.put("chunk_tokens", Integer.toString(layout.chunkTokens()));
        fields.put("kv_format", layout.format().name());
        fields.put("dtype", layout.dataType().wireName());
        fields.put("shape", layout.shape().toString());
        fields.put("page_bytes", Long.toString(layout.pageBytes()));
        fields.put("hash", ChunkKeys.SCHEME);
        return new Compatibility(fields);
    }

    /** The first field that differs, with both values, such as {@code tp 1≠4}; empty when there is none. */
    public Optional<String> mismatch(Compatibility other) {
        for (var field : fields.entrySet()) {
            String theirs = other.fields.getOrDefault(field.getKey(), "unset");
            if (!field.getValue().equals(theirs)) {
                return Optional.of("%s %s≠%s".formatted(field.getKey(), field.getValue(), theirs));
            }
        }
        return Optional.empty();
    }
}
