package dev.tandem.engine;

import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The reference engine against the outputs of an independent implementation of the same model. */
class OracleTest {

    static Stream<JsonNode> cases() throws Exception {
        try (InputStream in = OracleTest.class.getResourceAsStream("oracle.json")) {
            return StreamSupport.stream(
                    JsonMapper.builder().build().readTree(in).spliterator(), false);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyGreedySequenceIsReproduced(JsonNode oracle) throws Exception {
        for (int ranks : new int[] {1, 2}) {
            for (int chunkTokens : new int[] {64, 16}) {
                try (var engine = ReferenceEngine.load(Optional.empty(), chunkTokens, ranks, 2)) {
                    reproduces(engine, oracle);
                }
            }
        }
    }

    private static void reproduces(ReferenceEngine engine, JsonNode oracle) throws InterruptedException {
        int[] prompt = engine.tokenize(oracle.path("prompt").asString());
        List<Integer> wanted = new ArrayList<>();
        oracle.path("greedy_tokens").forEach(token -> wanted.add(token.asInt()));
        assertThat(decode(engine, prompt, 0, List.of(), wanted.size())).isEqualTo(wanted);
        try (Arena arena = Arena.ofShared()) {
            List<List<MemorySegment>> pages = pages(arena, engine, prompt.length);
            try (PrefillRun run = engine.prefill(prompt, 0, pages)) {
                while (!run.done()) {
                    run.computeNextChunk();
                }
                assertThat(run.firstToken(Sampling.GREEDY)).isEqualTo(wanted.getFirst());
            }
            assertThat(decode(engine, prompt, prompt.length, pages, wanted.size()))
                    .isEqualTo(wanted);
        }
    }

    private static List<Integer> decode(
            ReferenceEngine engine, int[] prompt, int cached, List<List<MemorySegment>> pages, int count)
            throws InterruptedException {
        List<Integer> tokens = new ArrayList<>();
        try (DecodeRun run = engine.decode(prompt, cached, pages, Sampling.GREEDY)) {
            while (tokens.size() < count) {
                tokens.add(run.next());
            }
        }
        return tokens;
    }

    static List<List<MemorySegment>> pages(Arena arena, Engine engine, int tokens) {
        List<List<MemorySegment>> pages = new ArrayList<>();
        for (int rank = 0; rank < engine.ranks(); rank++) {
            List<MemorySegment> own = new ArrayList<>();
            for (int at = 0; at < tokens; at += engine.layout().chunkTokens()) {
                own.add(arena.allocate(engine.layout().pageBytes(), 64));
            }
            pages.add(own);
        }
        return pages;
    }
}
