package dev.tandem.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

import tools.jackson.databind.json.JsonMapper;

import dev.tandem.transfer.DataType;
import dev.tandem.transfer.KvFormat;
import dev.tandem.transfer.KvLayout;

/**
 * A small real language model in this process: byte-level, Llama architecture (docs/reference-model.md). It makes the
 * whole path provable without a GPU or a download.
 */
public final class ReferenceEngine implements Engine {

    private static final String BUNDLED = "reference/";

    private final ReferenceModel model;
    private final int ranks;
    private final KvLayout layout;
    private final ExecutorService threads;
    private final ThreadLocal<ReferenceModel.Scratch> scratch;

    private ReferenceEngine(ReferenceModel model, int chunkTokens, int ranks, int threads) {
        ModelConfig config = model.config();
        if (ranks < 1 || config.kvHeads() % ranks != 0) {
            throw new IllegalArgumentException(
                    "ranks: %d do not divide the model's %d KV heads".formatted(ranks, config.kvHeads()));
        }
        this.model = model;
        this.ranks = ranks;
        this.layout = new KvLayout(
                KvFormat.KV_2LTD, DataType.FLOAT, List.of(2, config.layers(), chunkTokens, config.kvWidth() / ranks));
        this.scratch = ThreadLocal.withInitial(() -> model.new Scratch(chunkTokens));
        this.threads = Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name("engine-", 0).factory());
    }

    /**
     * Loads a model.
     *
     * @param folder with {@code config.json} and {@code model.safetensors}; empty for the bundled one
     * @param chunkTokens tokens of a full chunk
     * @param ranks how many ways the KV heads are split
     * @param threads that compute; 0 for one per processor
     * @throws IllegalArgumentException when the model's files do not fit together
     */
    public static ReferenceEngine load(Optional<Path> folder, int chunkTokens, int ranks, int threads) {
        ModelConfig config = JsonMapper.builder().build().readValue(read(folder, "config.json"), ModelConfig.class);
        Weights weights = Weights.of(Safetensors.parse(read(folder, "model.safetensors")), config);
        int parallel = threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
        return new ReferenceEngine(new ReferenceModel(config, weights), chunkTokens, ranks, parallel);
    }

    private static byte[] read(Optional<Path> folder, String file) {
        try {
            if (folder.isPresent()) {
                return Files.readAllBytes(folder.get().resolve(file));
            }
            try (InputStream in = ReferenceEngine.class.getResourceAsStream(BUNDLED + file)) {
                return Objects.requireNonNull(in, file).readAllBytes();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "model file " + file + " of " + folder.map(Path::toString).orElse("the jar"), e);
        }
    }

    @Override
    public String modelId() {
        return "reference";
    }

    @Override
    public int contextTokens() {
        return model.config().context();
    }

    @Override
    public KvLayout layout() {
        return layout;
    }

    @Override
    public int ranks() {
        return ranks;
    }

    @Override
    public int[] tokenize(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        var tokens = new int[bytes.length + 1];
        tokens[0] = model.config().begin();
        for (int i = 0; i < bytes.length; i++) {
            tokens[i + 1] = bytes[i] & 0xff;
        }
        return tokens;
    }

    @Override
    public int vocabulary() {
        return model.config().vocabulary();
    }

    @Override
    public TokenText text(List<String> stops) {
        return new ByteTokenText(stops);
    }

    @Override
    public PrefillRun prefill(int[] prompt, int computedChunks, List<List<MemorySegment>> pages) {
        requireSequence(prompt);
        return new Prefill(prompt.clone(), computedChunks, pages);
    }

    @Override
    public DecodeRun decode(int[] prompt, int cachedTokens, List<List<MemorySegment>> pages, Sampling sampling) {
        requireSequence(prompt);
        if (cachedTokens < 0 || cachedTokens > prompt.length) {
            throw new IllegalArgumentException(
                    "cached tokens: %d of a prompt of %d".formatted(cachedTokens, prompt.length));
        }
        return new Decode(prompt, cachedTokens, pages, sampling);
    }

    private void requireSequence(int[] prompt) {
        if (prompt.length < 1 || prompt.length > contextTokens()) {
            throw new IllegalArgumentException(
                    "prompt: %d tokens, must be 1..%d".formatted(prompt.length, contextTokens()));
        }
        for (int i = 0; i < prompt.length; i++) {
            if (prompt[i] < 0 || prompt[i] >= vocabulary()) {
                throw new IllegalArgumentException(
                        "prompt: token %d is %d, must be 0..%d".formatted(i, prompt[i], vocabulary() - 1));
            }
        }
    }

    /** Computes on an engine thread; the caller blocks, and an interrupt of it ends the wait. */
    private <T> T onEngineThread(Callable<T> step) throws InterruptedException {
        Future<T> result;
        try {
            result = threads.submit(step);
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException("the engine is closed", e);
        }
        try {
            return result.get();
        } catch (InterruptedException e) {
            result.cancel(false);
            throw e;
        } catch (CancellationException e) {
            throw new IllegalStateException("the engine is closed", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the engine failed", e.getCause());
        }
    }

    /** Computes the tokens {@code from..to}, a chunk's worth at a time, and returns the logits after the last. */
    private float[] compute(int[] sequence, int from, int to, KvCache cache) {
        ReferenceModel.Scratch own = scratch.get();
        int at = from;
        int count = 0;
        while (at < to) {
            count = Math.min(layout.chunkTokens(), to - at);
            model.compute(sequence, at, at + count, cache, own);
            at += count;
        }
        return model.logits(count, own);
    }

    @Override
    public void close() {
        threads.shutdownNow().forEach(queued -> ((Future<?>) queued).cancel(false));
    }

    private final class Prefill implements PrefillRun {

        private final int[] prompt;
        private final List<List<MemorySegment>> pages;
        private final KvCache cache;
        private final int chunks;
        private int next;
        private float[] logits = new float[0];

        Prefill(int[] prompt, int computedChunks, List<List<MemorySegment>> pages) {
            this.prompt = prompt;
            this.pages = pages;
            this.chunks = Math.ceilDiv(prompt.length, layout.chunkTokens());
            this.next = computedChunks;
            this.cache = cache(prompt.length, prompt.length);
            if (computedChunks < 0 || computedChunks > chunks) {
                throw new IllegalArgumentException("computed chunks: %d of %d".formatted(computedChunks, chunks));
            }
        }

        private KvCache cache(int paged, int total) {
            return new KvCache(model.config(), ranks, layout.chunkTokens(), pages, prompt.length, paged, total);
        }

        @Override
        public boolean done() {
            return next == chunks;
        }

        @Override
        public int computeNextChunk() throws InterruptedException {
            if (done()) {
                throw new IllegalStateException("all %d chunks are computed".formatted(chunks));
            }
            int from = next * layout.chunkTokens();
            int to = Math.min(prompt.length, from + layout.chunkTokens());
            logits = onEngineThread(() -> compute(prompt, from, to, cache));
            return next++;
        }

        @Override
        public int firstToken(Sampling sampling) throws InterruptedException {
            if (!done()) {
                throw new IllegalStateException("%d of %d chunks are computed".formatted(next, chunks));
            }
            if (logits.length == 0) {
                KvCache privateTail = cache(prompt.length - 1, prompt.length);
                logits = onEngineThread(() -> compute(prompt, prompt.length - 1, prompt.length, privateTail));
            }
            return Choice.next(logits, sampling, prompt.length);
        }

        @Override
        public void close() {}
    }

    private final class Decode implements DecodeRun {

        private final Sampling sampling;
        private final KvCache cache;
        private final int[] sequence = new int[contextTokens()];
        private int length;
        private int computed;

        Decode(int[] prompt, int cachedTokens, List<List<MemorySegment>> pages, Sampling sampling) {
            System.arraycopy(prompt, 0, sequence, 0, prompt.length);
            this.sampling = sampling;
            this.length = prompt.length;
            this.computed = Math.min(cachedTokens, prompt.length - 1);
            this.cache = new KvCache(
                    model.config(), ranks, layout.chunkTokens(), pages, cachedTokens, computed, contextTokens());
        }

        @Override
        public int next() throws InterruptedException {
            if (length == sequence.length) {
                throw new IllegalStateException("the context of %d tokens is full".formatted(length));
            }
            int token = onEngineThread(() -> Choice.next(compute(sequence, computed, length, cache), sampling, length));
            computed = length;
            if (token == model.config().end()) {
                return END;
            }
            sequence[length++] = token;
            return token;
        }

        @Override
        public void close() {}
    }
}
