package dev.tandem.engine;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.tandem.transfer.KvLayout;

/**
 * A small real language model in this process: byte-level, Llama architecture (docs/reference-model). It makes the whole
 * path provable without a GPU or a download.
 *
 * <p>Each token's KV and logits are bitwise the same however the sequence is split over calls, chunks, pages and ranks.
 */
public final class ReferenceEngine implements Engine {

    private final ReferenceModel model;
    private final KvGeometry geometry;
    private final KvLayout layout;
    private final Workers workers;

    private ReferenceEngine(ReferenceModel model, ReferenceSettings settings) {
        ModelConfig config = model.config();
        this.model = model;
        this.geometry = new KvGeometry(
                config.layers(), config.kvHeads(), config.headSize(), settings.ranks(), settings.chunkTokens());
        this.layout = geometry.layout();
        this.workers = new Workers(settings.parallelism(), config);
    }

    /**
     * Loads the model and starts the threads that compute. Blocks for reading the files.
     *
     * @return the engine, to be closed
     * @throws IllegalArgumentException when the model's files are not what they must be, or the ranks do not divide its
     *     KV heads
     * @throws UncheckedIOException when a file cannot be read
     */
    public static ReferenceEngine load(ReferenceSettings settings) {
        return new ReferenceEngine(new ReferenceModel(ModelFiles.read(settings.folder())), settings);
    }

    @Override
    public String modelId() {
        return "reference";
    }

    @Override
    public int contextTokens() {
        return model.config().contextTokens();
    }

    @Override
    public KvLayout layout() {
        return layout;
    }

    @Override
    public int ranks() {
        return geometry.ranks();
    }

    @Override
    public int[] tokenize(String text) {
        return ByteTokens.of(text);
    }

    @Override
    public int vocabulary() {
        return ByteTokens.VOCABULARY;
    }

    @Override
    public boolean ends(int token) {
        return token == ByteTokens.END;
    }

    @Override
    public TokenText text(List<String> stops) {
        return new ByteTokenText(stops);
    }

    @Override
    public PrefillRun prefill(int[] prompt, int computedChunks, List<List<MemorySegment>> pages) {
        var sequence = new TokenSequence(prompt, contextTokens());
        int chunks = Math.ceilDiv(prompt.length, layout.chunkTokens());
        if (computedChunks < 0 || computedChunks > chunks) {
            throw new IllegalArgumentException(
                    "computed chunks: %d, the prompt has %d".formatted(computedChunks, chunks));
        }
        int paged = computedChunks == chunks ? prompt.length - 1 : prompt.length;
        var kv = KvSequence.inPages(geometry, pages, new KvSequence.Held(prompt.length, paged), prompt.length);
        var pass = new ForwardPass(model, workers, kv, prompt.length);
        return new ReferencePrefill(sequence, computedChunks, layout.chunkTokens(), pass);
    }

    @Override
    public DecodeRun decode(int[] prompt, int cachedTokens, List<List<MemorySegment>> pages, Sampling sampling) {
        var sequence = new TokenSequence(prompt, contextTokens());
        if (cachedTokens < 0 || cachedTokens > prompt.length) {
            throw new IllegalArgumentException(
                    "cached tokens: %d, the prompt has %d".formatted(cachedTokens, prompt.length));
        }
        int paged = Math.min(cachedTokens, prompt.length - 1);
        var kv = KvSequence.inPages(geometry, pages, new KvSequence.Held(cachedTokens, paged), contextTokens());
        var pass = new ForwardPass(model, workers, kv, prompt.length - paged);
        return new ReferenceDecode(sequence, paged, pass, sampling);
    }

    @Override
    public void close() {
        workers.close();
    }
}
