package dev.tandem.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.tandem.engine.KvSequence.Held;

import static org.assertj.core.api.Assertions.assertThat;

/** A token's logits are the same bits, however the sequence was split over calls, chunks, pages, ranks and threads. */
class SameBitsIT {

    private static final int TOKENS = 210;

    private static final ReferenceModel model = new ReferenceModel(ModelFiles.read(Optional.empty()));
    private static final Workers one = new Workers(1, model.config());
    private static final Workers three = new Workers(3, model.config());
    private static final int[] sequence = new int[TOKENS];

    /** Logits after each token, each computed alone and all in memory of the run's own. */
    private static final float[][] alone = new float[TOKENS][];

    @BeforeAll
    static void computeEachTokenAlone() throws Exception {
        var random = new Random(1);
        for (int i = 0; i < TOKENS; i++) {
            sequence[i] = i == 0 ? ByteTokens.BEGIN : random.nextInt(ByteTokens.VOCABULARY);
        }
        var kv = KvSequence.inPages(geometry(1, 64), List.of(), new Held(0, 0), TOKENS);
        try (var pass = new ForwardPass(model, one, kv, 1)) {
            for (int i = 0; i < TOKENS; i++) {
                pass.compute(sequence, i, i + 1);
                alone[i] = pass.logits().clone();
            }
        }
    }

    @AfterAll
    static void close() {
        one.close();
        three.close();
    }

    private static KvGeometry geometry(int ranks, int chunkTokens) {
        return new KvGeometry(6, 2, 32, ranks, chunkTokens);
    }

    @Test
    void prefillInChunksThenDecodeFromPages() throws Exception {
        for (long seed = 0; seed < 25; seed++) {
            var random = new Random(seed);
            var split = new Split(
                    geometry(1 + random.nextInt(2), 1 + random.nextInt(80)),
                    random.nextBoolean() ? one : three,
                    1 + random.nextInt(TOKENS - 1));
            try (Arena arena = Arena.ofShared()) {
                List<List<MemorySegment>> pages =
                        Pages.of(arena, split.geometry.layout(), split.geometry.ranks(), split.prompt);
                prefill(split, pages, "seed %d, %s".formatted(seed, split));
                decode(split, pages, 1 + random.nextInt(split.prompt), "seed %d, %s".formatted(seed, split));
            }
        }
    }

    private record Split(KvGeometry geometry, Workers workers, int prompt) {}

    private static void prefill(Split split, List<List<MemorySegment>> pages, String what) throws Exception {
        var kv = KvSequence.inPages(split.geometry, pages, new Held(split.prompt, split.prompt), split.prompt);
        try (var pass = new ForwardPass(model, split.workers, kv, split.geometry.chunkTokens())) {
            int end = 0;
            while (end < split.prompt) {
                int first = end;
                end = Math.min(split.prompt, first + split.geometry.chunkTokens());
                pass.compute(sequence, first, end);
                assertThat(pass.logits()).as(what).isEqualTo(alone[end - 1]);
            }
        }
    }

    /** Takes some of the pages' tokens as cached, computes the rest of the prompt, then goes on token by token. */
    private static void decode(Split split, List<List<MemorySegment>> pages, int cached, String what) throws Exception {
        var kv = KvSequence.inPages(split.geometry, pages, new Held(split.prompt, cached), TOKENS);
        try (var pass = new ForwardPass(model, split.workers, kv, split.prompt)) {
            if (cached < split.prompt) {
                pass.compute(sequence, cached, split.prompt);
                assertThat(pass.logits()).as(what).isEqualTo(alone[split.prompt - 1]);
            }
            for (int i = split.prompt; i < Math.min(TOKENS, split.prompt + 10); i++) {
                pass.compute(sequence, i, i + 1);
                assertThat(pass.logits()).as(what).isEqualTo(alone[i]);
            }
        }
    }
}
