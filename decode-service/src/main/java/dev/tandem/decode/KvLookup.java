package dev.tandem.decode;

import java.util.List;
import java.util.Optional;

import org.springframework.stereotype.Component;

import dev.tandem.decode.Kv.Verdict;
import dev.tandem.engine.Engine;
import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.ChunkKeys;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.memory.Lease;

/**
 * Finds a prompt's KV in this node's store: full chunks by key, the last one at exactly its length.
 *
 * <p>Two lengths serve: the prompt without its last token, which a proxy's decode request leaves behind, and the whole
 * prompt, which a prefill node computes. The last token is computed again either way.
 */
@Component
class KvLookup {

    private final ChunkStore store;
    private final ChunkKeys keys;

    KvLookup(ChunkStore store, Engine engine) {
        this.store = store;
        this.keys = new ChunkKeys(engine.modelId(), engine.ranks(), 0, engine.layout());
    }

    /** Leases the KV of the prompt if all of it is there. */
    Optional<Kv> find(int[] prompt, Verdict verdict) {
        return find(prompt, prompt.length - 1, verdict).or(() -> find(prompt, prompt.length, verdict));
    }

    private Optional<Kv> find(int[] prompt, int length, Verdict verdict) {
        List<ChunkKey> wanted = keys.of(prompt, length);
        Lease lease = store.lease(wanted);
        if (lease.size() < wanted.size()) {
            lease.close();
            return Optional.empty();
        }
        return Optional.of(Kv.leased(verdict, length, lease));
    }
}
