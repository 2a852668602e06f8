package dev.tandem.bench;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NodePlanTest {

    private static final Program PROGRAM = new Program(List.of("java", "Service"));

    @Test
    void propertyThatWasGivenIsNotReplaced() {
        NodePlan plan = NodePlan.of(PROGRAM, List.of("--server.port=9000", "--a=b=c"));

        assertThat(plan.orElse("server.port", 8100).orElse("x", 1).command())
                .containsExactly("java", "Service", "--server.port=9000", "--a=b=c", "--x=1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a=b", "--=b", "--a", "-a=b"})
    void argumentThatIsNoPropertyIsRefused(String argument) {
        assertThatThrownBy(() -> NodePlan.of(PROGRAM, List.of(argument)))
                .hasMessageContaining(argument + " is not a property");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "x", "-1", "123456", ""})
    void portMustBeKnownBeforeTheStart(String port) {
        NodePlan plan = NodePlan.of(PROGRAM, List.of("--server.port=" + port));

        assertThatThrownBy(() -> plan.port("server.port")).hasMessageContaining("is not a port");
    }
}
