package dev.tandem.transfer.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Recorded bytes of upstream's own messages, and what upstream's decoder says to odd ones. */
final class Fixtures {

    private static final JsonNode ROOT = read();

    private Fixtures() {}

    /** One recorded payload; the type is empty where upstream itself could not decode it. */
    record Recorded(int index, String type, String note, byte[] bytes) {
        @Override
        public String toString() {
            return "%d %s (%s)".formatted(index, type.isEmpty() ? "junk" : type, note);
        }
    }

    /** One odd payload and upstream's verdict. */
    record Odd(String name, boolean accepted, byte[] bytes) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Recorded> messages() {
        JsonNode messages = ROOT.get("messages");
        return Stream.iterate(0, i -> i < messages.size(), i -> i + 1)
                .map(i -> new Recorded(
                        i,
                        messages.get(i).path("type").asString(""),
                        messages.get(i).get("note").asString(),
                        bytes(messages.get(i))));
    }

    static Stream<Odd> oddities() {
        JsonNode cases = ROOT.get("decoding_tolerance");
        return Stream.iterate(0, i -> i < cases.size(), i -> i + 1)
                .map(i -> new Odd(
                        cases.get(i).get("case").asString(),
                        cases.get(i).get("result").asString().equals("accepted"),
                        bytes(cases.get(i))));
    }

    private static byte[] bytes(JsonNode node) {
        return HexFormat.of().parseHex(node.get("hex").asString());
    }

    private static JsonNode read() {
        try (InputStream json = Fixtures.class.getResourceAsStream("/wire/wire-fixtures.json")) {
            return JsonMapper.shared().readTree(Objects.requireNonNull(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
