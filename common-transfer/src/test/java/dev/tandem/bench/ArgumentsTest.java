package dev.tandem.bench;

import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ArgumentsTest {

    private static final Set<String> KNOWN = Set.of("--once", "--prompt=", "--max-tokens=", "--decode-arg=");

    @Test
    void valueStandsBehindAnEqualsSignOrNext() {
        Arguments arguments = parse("--prompt=a = b", "--max-tokens", "7", "--once");

        assertThat(arguments.last("--prompt")).contains("a = b");
        assertThat(arguments.positive("--max-tokens", 1)).isEqualTo(7);
        assertThat(arguments.has("--once")).isTrue();
    }

    @Test
    void repeatedArgumentKeepsItsOrder() {
        Arguments arguments = parse("--decode-arg=--a=1", "--decode-arg", "--b=2");

        assertThat(arguments.all("--decode-arg")).containsExactly("--a=1", "--b=2");
        assertThat(arguments.last("--decode-arg")).contains("--b=2");
    }

    @ParameterizedTest
    @CsvSource({
        "--onec, --onec is not understood",
        "--once=yes, --once=yes is not understood",
        "prompt, prompt is not understood",
        "--prompt, --prompt lacks its value"
    })
    void wrongCallIsNamedAndAnsweredWithTwo(String argument, String why) {
        assertThatThrownBy(() -> parse(argument))
                .hasMessageContaining(why)
                .extracting(failure -> ((LaunchException) failure).exitCode())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"0", "-1", "1.5", "ten", "''", "9999999999"})
    void numberMustBeWholeAndPositive(String number) {
        Arguments arguments = parse("--max-tokens=" + number);

        assertThatThrownBy(() -> arguments.positive("--max-tokens", 1)).hasMessageContaining("--max-tokens=" + number);
    }

    @Test
    void requiredArgumentIsMissed() {
        assertThatThrownBy(() -> parse().required("--logs")).hasMessageContaining("--logs is missing");
    }

    private static Arguments parse(String... arguments) {
        return Arguments.parse(arguments, KNOWN);
    }
}
