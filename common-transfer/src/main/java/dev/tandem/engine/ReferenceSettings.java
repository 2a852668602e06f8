package dev.tandem.engine;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How to run the reference engine.
 *
 * @param chunkTokens tokens of a full chunk, at least 1
 * @param ranks how many ways the KV heads are split; must divide their number
 * @param threads that compute, at most {@value #MAX_THREADS}; 0 means one per processor
 * @param folder with {@code config.json} and {@code model.safetensors}; empty means the model that comes with Tandem
 */
public record ReferenceSettings(int chunkTokens, int ranks, int threads, Optional<Path> folder) {

    static final int MAX_THREADS = 1024;

    public ReferenceSettings {
        if (chunkTokens < 1) {
            throw new IllegalArgumentException("chunk tokens: %d, must be at least 1".formatted(chunkTokens));
        }
        if (ranks < 1) {
            throw new IllegalArgumentException("ranks: %d, must be at least 1".formatted(ranks));
        }
        if (threads < 0 || threads > MAX_THREADS) {
            throw new IllegalArgumentException("threads: %d, must be 0..%d".formatted(threads, MAX_THREADS));
        }
    }

    /** Chunks of 64 tokens, one rank, one thread per processor, the model that comes with Tandem. */
    public static ReferenceSettings defaults() {
        return new ReferenceSettings(64, 1, 0, Optional.empty());
    }

    int parallelism() {
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }
}
