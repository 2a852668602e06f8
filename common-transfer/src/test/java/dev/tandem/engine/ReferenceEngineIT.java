package dev.tandem.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.tandem.transfer.DataType;
import dev.tandem.transfer.KvFormat;
import dev.tandem.transfer.KvLayout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(60)
class ReferenceEngineIT {

    private static final ReferenceEngine engine =
            ReferenceEngine.load(new ReferenceSettings(64, 1, 2, Optional.empty()));
    private static final Sampling WARM = new Sampling(0.9, 0.95, 11);

    @AfterAll
    static void close() {
        engine.close();
    }

    @Test
    void tellsWhatItIs() {
        assertThat(engine.modelId()).isEqualTo("reference");
        assertThat(engine.contextTokens()).isEqualTo(1024);
        assertThat(engine.vocabulary()).isEqualTo(258);
        assertThat(engine.ranks()).isEqualTo(1);
        assertThat(engine.layout()).isEqualTo(new KvLayout(KvFormat.KV_2LTD, DataType.FLOAT, List.of(2, 6, 64, 64)));
        assertThat(engine.tokenize("a€")).containsExactly(256, 'a', 0xe2, 0x82, 0xac);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 62, 63, 64, 65, 127, 128, 129, 1000})
    void handedOverKvGivesTheTokensOfOneProcess(int promptBytes) throws Exception {
        int[] prompt = engine.tokenize(whales(promptBytes));
        for (Sampling sampling : List.of(Sampling.GREEDY, WARM)) {
            List<Integer> local = generate(prompt, 0, List.of(), sampling);
            try (Arena arena = Arena.ofShared()) {
                List<List<MemorySegment>> pages = Pages.of(arena, engine, prompt.length);
                assertThat(prefill(prompt, 0, pages, sampling)).isEqualTo(local.getFirst());
                assertThat(generate(prompt, prompt.length, pages, sampling)).isEqualTo(local);
                afterTheFirstToken(prompt, local, pages, sampling);
            }
        }
    }

    /** As a proxy asks: the prompt and its first token, all but the last cached. */
    private static void afterTheFirstToken(
            int[] prompt, List<Integer> local, List<List<MemorySegment>> pages, Sampling sampling) throws Exception {
        int[] more = Arrays.copyOf(prompt, prompt.length + 1);
        more[prompt.length] = local.getFirst();
        List<Integer> rest = generate(more, prompt.length, pages, sampling);
        assertThat(rest.subList(0, local.size() - 1)).isEqualTo(local.subList(1, local.size()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void leadingChunksThatAreThereAreNotComputedAgain(int computed) throws Exception {
        int[] prompt = engine.tokenize(whales(150));
        try (Arena arena = Arena.ofShared()) {
            // Given
            List<List<MemorySegment>> pages = Pages.of(arena, engine, prompt.length);
            int first = prefill(prompt, 0, pages, WARM);
            List<float[]> before = copy(pages);
            for (MemorySegment page : pages.getFirst().subList(computed, 3)) {
                page.fill((byte) 0x55);
            }
            List<List<MemorySegment>> guarded = new ArrayList<>(List.of(new ArrayList<>(pages.getFirst())));
            guarded.getFirst().replaceAll(page -> pages.getFirst().indexOf(page) < computed ? page.asReadOnly() : page);

            // When
            int again = prefill(prompt, computed, guarded, WARM);

            // Then
            assertThat(again).isEqualTo(first);
            assertThat(copy(pages)).usingRecursiveComparison().isEqualTo(before);
        }
    }

    @Test
    void pagesMayBeLargerThanTheirChunk() throws Exception {
        int[] prompt = engine.tokenize(whales(70));
        try (Arena arena = Arena.ofShared()) {
            var pages = List.of(List.of(
                    arena.allocate(engine.layout().pageBytes()),
                    arena.allocate(engine.layout().pageBytes())));
            pages.getFirst().getLast().fill((byte) 0x55);

            prefill(prompt, 0, pages, Sampling.GREEDY);

            long end = engine.layout().chunkBytes(prompt.length - 64);
            MemorySegment behind = pages.getFirst().getLast().asSlice(end);
            assertThat(behind.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x55);
            assertThat(generate(prompt, prompt.length, pages, Sampling.GREEDY))
                    .isEqualTo(generate(prompt, 0, List.of(), Sampling.GREEDY));
        }
    }

    @Test
    void continuationEndsWithTheContext() throws Exception {
        int[] prompt = engine.tokenize(whales(1020));
        try (DecodeRun run = engine.decode(prompt, 0, List.of(), Sampling.GREEDY)) {
            for (int i = prompt.length; i < engine.contextTokens(); i++) {
                assertThat(run.next()).isBetween(0, 257);
            }
            assertThatIllegalStateException().isThrownBy(run::next).withMessageContaining("context of 1024 tokens");
        }
    }

    @Test
    void promptMayFillTheContext() throws Exception {
        int[] prompt = engine.tokenize(whales(1023));
        try (Arena arena = Arena.ofShared()) {
            assertThat(prefill(prompt, 0, Pages.of(arena, engine, 1024), Sampling.GREEDY))
                    .isBetween(0, 257);
        }
        try (DecodeRun run = engine.decode(prompt, 0, List.of(), Sampling.GREEDY)) {
            assertThatIllegalStateException().isThrownBy(run::next).withMessageContaining("context of 1024 tokens");
        }
    }

    @Test
    void nothingFollowsTheEndToken() throws Exception {
        int[] prompt = {256, 'a', 257};
        try (DecodeRun run = engine.decode(prompt, 0, List.of(), Sampling.GREEDY)) {
            assertThat(run.next()).isEqualTo(DecodeRun.END);
            assertThat(run.next()).isEqualTo(DecodeRun.END);
        }
    }

    @Test
    void senselessArgumentsAreNamed() {
        int[] prompt = engine.tokenize("abc");
        refused(() -> engine.prefill(new int[0], 0, List.of()), "prompt: 0 tokens, must be 1..1024");
        refused(() -> engine.decode(new int[1025], 0, List.of(), WARM), "prompt: 1025 tokens, must be 1..1024");
        refused(() -> engine.decode(new int[] {256, 3, 258}, 0, List.of(), WARM), "token 2 is 258");
        refused(() -> engine.prefill(new int[] {-1}, 0, List.of()), "token 0 is -1");
        refused(() -> engine.prefill(prompt, 2, List.of()), "computed chunks: 2, the prompt has 1");
        refused(() -> engine.prefill(prompt, 0, List.of()), "pages of 0 ranks, there are 1");
        refused(() -> engine.prefill(prompt, 0, List.of(List.of())), "0 pages of rank 0, there are 1 chunks");
        refused(() -> engine.decode(prompt, 5, List.of(), WARM), "cached tokens: 5, the prompt has 4");
        var small = MemorySegment.ofArray(new float[4 * 768 - 1]);
        refused(
                () -> engine.decode(prompt, 4, List.of(List.of(small)), WARM),
                "page of chunk 0, rank 0: 12284 bytes, the chunk has 12288");
        refused(() -> ReferenceEngine.load(new ReferenceSettings(64, 3, 1, Optional.empty())), "ranks: 3");
    }

    private static void refused(Callable<?> call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call::call).withMessageContaining(message);
    }

    @Test
    void manyAtOnceGetTheTokensOfOneAlone() throws Exception {
        // Given
        List<int[]> prompts = new ArrayList<>();
        List<List<Integer>> alone = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            prompts.add(engine.tokenize(i + whales(40 * i)));
            alone.add(generate(prompts.get(i), 0, List.of(), WARM));
        }

        // When
        List<Future<List<Integer>>> together = new ArrayList<>();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int[] prompt : prompts) {
                together.add(callers.submit(() -> handOver(prompt)));
            }
        }

        // Then
        for (int i = 0; i < 8; i++) {
            assertThat(together.get(i).get()).as("prompt %d", i).isEqualTo(alone.get(i));
        }
    }

    private static List<Integer> handOver(int[] prompt) throws Exception {
        try (Arena arena = Arena.ofShared()) {
            List<List<MemorySegment>> pages = Pages.of(arena, engine, prompt.length);
            prefill(prompt, 0, pages, WARM);
            return generate(prompt, prompt.length, pages, WARM);
        }
    }

    @Test
    void interruptEndsTheRunAndTheEngineGoesOn() throws Exception {
        int[] prompt = engine.tokenize("Call me");
        try (DecodeRun run = engine.decode(prompt, 0, List.of(), WARM)) {
            run.next();
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(run::next);
            assertThatIllegalStateException().isThrownBy(run::next).withMessageContaining("the run is over");
        }
        assertThat(generate(prompt, 0, List.of(), WARM)).hasSize(12);
    }

    @Test
    void closedEngineEndsItsRuns() throws Exception {
        var closing = ReferenceEngine.load(new ReferenceSettings(64, 1, 1, Optional.empty()));
        try (closing;
                DecodeRun run = closing.decode(closing.tokenize("a"), 0, List.of(), WARM)) {
            run.next();
            closing.close();
            assertThatIllegalStateException().isThrownBy(run::next).withMessageContaining("the engine is closed");
        }
    }

    @Test
    void runsAreOverOnceClosed() throws Exception {
        DecodeRun decode = engine.decode(engine.tokenize("a"), 0, List.of(), WARM);
        decode.close();
        assertThatIllegalStateException().isThrownBy(decode::next).withMessageContaining("the run is over");
        try (Arena arena = Arena.ofShared()) {
            PrefillRun prefill = engine.prefill(engine.tokenize("a"), 0, Pages.of(arena, engine, 2));
            assertThatIllegalStateException()
                    .isThrownBy(() -> prefill.firstToken(WARM))
                    .withMessageContaining("0 of 1");
            prefill.computeNextChunk();
            assertThatIllegalStateException()
                    .isThrownBy(prefill::computeNextChunk)
                    .withMessageContaining("all 1");
            prefill.close();
            assertThatIllegalStateException().isThrownBy(() -> prefill.firstToken(WARM));
        }
    }

    @Test
    void freedPageIsAnExceptionAndNoCrash() throws Exception {
        PrefillRun run;
        try (Arena arena = Arena.ofShared()) {
            run = engine.prefill(engine.tokenize(whales(64)), 0, Pages.of(arena, engine, 65));
            run.computeNextChunk();
        }
        try (run) {
            assertThatIllegalStateException().isThrownBy(run::computeNextChunk).withMessageContaining("run failed");
        }
    }

    private static int prefill(int[] prompt, int computed, List<List<MemorySegment>> pages, Sampling sampling)
            throws InterruptedException {
        try (PrefillRun run = engine.prefill(prompt, computed, pages)) {
            for (int chunk = computed; !run.done(); chunk++) {
                assertThat(run.computeNextChunk()).isEqualTo(chunk);
            }
            return run.firstToken(sampling);
        }
    }

    /** A dozen tokens, or those up to the end of the text. */
    private static List<Integer> generate(int[] prompt, int cached, List<List<MemorySegment>> pages, Sampling sampling)
            throws InterruptedException {
        List<Integer> tokens = new ArrayList<>();
        try (DecodeRun run = engine.decode(prompt, cached, pages, sampling)) {
            while (tokens.size() < 12) {
                tokens.add(run.next());
            }
        }
        return tokens;
    }

    private static List<float[]> copy(List<List<MemorySegment>> pages) {
        return pages.getFirst().stream()
                .map(page -> page.toArray(ValueLayout.JAVA_FLOAT))
                .toList();
    }

    private static String whales(int length) {
        var random = new Random(length);
        var text = new StringBuilder();
        while (text.length() < length) {
            text.append(List.of("the ", "whale ", "sea, ", "and ", "ship ").get(random.nextInt(5)));
        }
        return text.substring(0, length);
    }
}
