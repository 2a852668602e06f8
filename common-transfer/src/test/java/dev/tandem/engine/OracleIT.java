package dev.tandem.engine;

import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** The reference engine against what PyTorch computed from the same weights. */
class OracleIT {

    /** The oracle is rounded to five digits, and PyTorch adds up in another order. */
    private static final float TOLERANCE = 1e-4f;

    private static JsonNode oracle = JsonMapper.shared().createArrayNode();
    private static ReferenceModel model = new ReferenceModel(ModelFiles.read(Optional.empty()));
    private static Workers workers = new Workers(2, model.config());

    @BeforeAll
    static void read() throws Exception {
        try (InputStream in = OracleIT.class.getResourceAsStream("oracle.json")) {
            oracle = JsonMapper.shared().readTree(in);
        }
    }

    @AfterAll
    static void close() {
        workers.close();
    }

    @ParameterizedTest
    @CsvSource({"64, 1", "64, 2", "16, 1", "16, 2"})
    void everyContinuationIsReproducedHereAndThroughPages(int chunkTokens, int ranks) throws Exception {
        var settings = new ReferenceSettings(chunkTokens, ranks, 2, Optional.empty());
        try (var engine = ReferenceEngine.load(settings)) {
            for (JsonNode text : oracle) {
                int[] prompt = engine.tokenize(text.path("prompt").stringValue());
                List<Integer> wanted = integers(text.path("greedy_tokens"));
                assertThat(decode(engine, prompt, 0, List.of(), wanted.size())).isEqualTo(wanted);
                throughPages(engine, prompt, wanted);
            }
        }
    }

    private static void throughPages(Engine engine, int[] prompt, List<Integer> wanted) throws Exception {
        try (Arena arena = Arena.ofShared()) {
            List<List<MemorySegment>> pages = Pages.of(arena, engine, prompt.length);
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
            Engine engine, int[] prompt, int cached, List<List<MemorySegment>> pages, int count) throws Exception {
        List<Integer> tokens = new ArrayList<>();
        try (DecodeRun run = engine.decode(prompt, cached, pages, Sampling.GREEDY)) {
            while (tokens.size() < count) {
                tokens.add(run.next());
            }
        }
        return tokens;
    }

    @Test
    void logitsAfterEveryPromptAreReproduced() throws Exception {
        for (JsonNode text : oracle) {
            int[] prompt = ByteTokens.of(text.path("prompt").stringValue());
            var geometry = new KvGeometry(6, 2, 32, 1, 64);
            var kv = KvSequence.inPages(geometry, List.of(), new KvSequence.Held(0, 0), prompt.length);
            try (var pass = new ForwardPass(model, workers, kv, prompt.length)) {
                pass.compute(prompt, 0, prompt.length);
                List<Float> wanted = floats(text.path("first_logits"));
                assertThat(wanted).hasSize(pass.logits().length);
                for (int token = 0; token < wanted.size(); token++) {
                    assertThat(pass.logits()[token]).isCloseTo(wanted.get(token), within(TOLERANCE));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"64, 1", "64, 2", "16, 1", "16, 2", "20, 2"})
    void keysAndValuesInThePagesAreThoseOfTheOracle(int chunkTokens, int ranks) throws Exception {
        var settings = new ReferenceSettings(chunkTokens, ranks, 2, Optional.empty());
        try (var engine = ReferenceEngine.load(settings);
                Arena arena = Arena.ofShared()) {
            // Given
            JsonNode text = oracle.path(0);
            int[] prompt = engine.tokenize(text.path("prompt").stringValue());
            List<List<MemorySegment>> pages = Pages.of(arena, engine, prompt.length);

            // When
            try (PrefillRun run = engine.prefill(prompt, 0, pages)) {
                while (!run.done()) {
                    run.computeNextChunk();
                }
            }

            // Then
            var kv = new StoredKv(engine, pages, prompt.length);
            float largest = 0;
            for (JsonNode sample : text.path("kv_samples")) {
                int layer = sample.path("layer").intValue();
                int token = sample.path("token").intValue();
                largest = Math.max(largest, kv.difference(0, layer, token, 0, sample.path("key_0_to_3")));
                largest = Math.max(largest, kv.difference(0, layer, token, 32, sample.path("key_32_to_35")));
                largest = Math.max(largest, kv.difference(1, layer, token, 0, sample.path("value_0_to_3")));
            }
            assertThat(text.path("kv_samples").size()).isPositive();
            assertThat(largest).isLessThan(TOLERANCE);
        }
    }

    /** Reads pages by the layout's own definition, with no help from the engine. */
    private record StoredKv(Engine engine, List<List<MemorySegment>> pages, int tokens) {

        float difference(int half, int layer, int token, int column, JsonNode wanted) {
            List<Float> values = floats(wanted);
            return (float) IntStream.range(0, values.size())
                    .mapToDouble(i -> Math.abs(at(half, layer, token, column + i) - values.get(i)))
                    .max()
                    .orElseThrow();
        }

        private float at(int half, int layer, int token, int column) {
            int chunkTokens = engine.layout().chunkTokens();
            int chunk = token / chunkTokens;
            List<Integer> shape = engine.layout().shapeOf(Math.min(chunkTokens, tokens - chunk * chunkTokens));
            int width = shape.get(3);
            int index = ((half * shape.get(1) + layer) * shape.get(2) + token % chunkTokens) * width + column % width;
            return pages.get(column / width).get(chunk).getAtIndex(ValueLayout.JAVA_FLOAT, index);
        }
    }

    private static List<Integer> integers(JsonNode list) {
        List<Integer> integers = new ArrayList<>();
        list.forEach(each -> integers.add(each.intValue()));
        return integers;
    }

    private static List<Float> floats(JsonNode list) {
        List<Float> floats = new ArrayList<>();
        list.forEach(each -> floats.add(each.floatValue()));
        return floats;
    }
}
