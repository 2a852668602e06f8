package dev.tandem.engine;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class ByteTokenTextTest {

    @Test
    void halfACharacterIsHeldBack() {
        var text = new ByteTokenText(List.of());

        assertThat(pieces(text, "aé€😀")).containsExactly("a", "", "é", "", "", "€", "", "", "", "😀");
        assertThat(text.rest()).isEmpty();
    }

    @Test
    void brokenCharacterAtTheEndBecomesAReplacement() {
        var text = new ByteTokenText(List.of());

        assertThat(text.accept('a') + text.accept(0xe2) + text.accept(0x82)).isEqualTo("a");
        assertThat(text.rest()).isEqualTo("\ufffd");
        assertThat(text.rest()).isEmpty();
    }

    @Test
    void anyBytesComeOutAsTheDecoderOfThePlatformHasThem() {
        for (long seed = 0; seed < 2_000; seed++) {
            var bytes = new byte[12];
            var random = new Random(seed);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (random.nextBoolean() ? 0x80 + random.nextInt(128) : random.nextInt(256));
            }
            var text = new ByteTokenText(List.of());
            var whole = new StringBuilder();
            for (byte each : bytes) {
                whole.append(text.accept(Byte.toUnsignedInt(each)));
            }
            whole.append(text.rest());
            assertThat(whole.toString()).as("seed %d", seed).isEqualTo(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    static Stream<Arguments> stops() {
        return Stream.of(
                arguments("hello world", List.of(" wo"), "hello"),
                arguments("hello", List.of("hello"), ""),
                arguments("aab", List.of("ab"), "a"),
                arguments("ababac", List.of("abac"), "ab"),
                arguments("xabd", List.of("abc", "b"), "xa"),
                arguments("xabcd", List.of("b", "abc"), "x"),
                arguments("xabcd", List.of("bc", "abcd"), "x"),
                arguments("xab", List.of("ab", "xabc"), "x"),
                arguments("xabc", List.of("ab", "xabc"), ""),
                arguments("one€two", List.of("€"), "one"),
                arguments("a😀b", List.of("😀"), "a"));
    }

    @ParameterizedTest
    @MethodSource("stops")
    void textEndsBeforeTheStopStringThatBeginsFirst(String input, List<String> stops, String wanted) {
        var text = new ByteTokenText(stops);

        assertThat(String.join("", pieces(text, input)) + text.rest()).isEqualTo(wanted);
        assertThat(text.stopped()).isTrue();
        assertThat(text.accept('z')).isEmpty();
        assertThat(text.rest()).isEmpty();
    }

    @Test
    void onlyWhatMayBeginAStopStringIsHeldBack() {
        var text = new ByteTokenText(List.of("stop", "\n\n"));

        assertThat(pieces(text, "stsst\na")).containsExactly("", "", "st", "s", "", "st", "\na");
        assertThat(text.stopped()).isFalse();
    }

    @Test
    void heldTextComesOutAtTheEnd() {
        var text = new ByteTokenText(List.of("stop"));

        assertThat(pieces(text, "asto")).containsExactly("a", "", "", "");
        assertThat(text.rest()).isEqualTo("sto");
        assertThat(text.stopped()).isFalse();
    }

    @Test
    void whateverTheTextAndTheStopsTheFirstBeginningCounts() {
        for (long seed = 0; seed < 5_000; seed++) {
            var random = new Random(seed);
            String input = letters(random, 12);
            List<String> stops = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                stops.add(letters(random, 1 + random.nextInt(4)));
            }
            Optional<Integer> first =
                    stops.stream().map(input::indexOf).filter(at -> at >= 0).min(Comparator.naturalOrder());
            var text = new ByteTokenText(stops);
            String found = String.join("", pieces(text, input)) + text.rest();
            assertThat(found)
                    .as("seed %d: '%s', stops %s", seed, input, stops)
                    .isEqualTo(first.map(at -> input.substring(0, at)).orElse(input));
            assertThat(text.stopped()).as("seed %d", seed).isEqualTo(first.isPresent());
        }
    }

    @Test
    void stopStringOfHalfACharacterIsNeverMet() {
        var text = new ByteTokenText(List.of("\ude00", "\ud83d"));

        assertThat(String.join("", pieces(text, "😀"))).isEqualTo("😀");
    }

    @Test
    void marksHaveNoText() {
        var text = new ByteTokenText(List.of());

        assertThat(text.accept(0xc3) + text.accept(ByteTokens.BEGIN) + text.accept(0xa9) + text.accept(ByteTokens.END))
                .isEqualTo("é");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 258})
    void whatIsNoTokenIsRefused(int token) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ByteTokenText(List.of()).accept(token))
                .withMessageContaining("token " + token);
    }

    @Test
    void emptyStopStringIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ByteTokenText(List.of("a", "")))
                .withMessageContaining("stop string 1 is empty");
    }

    private static String letters(Random random, int count) {
        var letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            letters.append((char) ('a' + random.nextInt(3)));
        }
        return letters.toString();
    }

    private static List<String> pieces(ByteTokenText text, String input) {
        List<String> pieces = new ArrayList<>();
        for (byte each : input.getBytes(StandardCharsets.UTF_8)) {
            pieces.add(text.accept(Byte.toUnsignedInt(each)));
        }
        return pieces;
    }
}
