package dev.tandem.bench;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EventStreamTest {

    private final List<String> pieces = new ArrayList<>();
    private final EventStream events = new EventStream(JsonMapper.shared(), System.nanoTime(), pieces::add);

    @Test
    void piecesMakeTheContinuation() {
        take(
                "data: {\"choices\":[{\"text\":\" the\",\"finish_reason\":null}]}",
                "",
                ": a comment",
                "data:{\"choices\":[{\"text\":\" sea\"}]}",
                "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"length\"}]}",
                "data: {\"choices\":[],\"usage\":{\"completion_tokens\":8}}",
                "data: [DONE]");

        assertThat(events.complete()).isTrue();
        assertThat(pieces).containsExactly(" the", " sea");
        Continuation continuation = events.end("transferred");
        assertThat(continuation.text()).isEqualTo(" the sea");
        assertThat(continuation.tokens()).isEqualTo(8);
        assertThat(continuation.finishReason()).isEqualTo("length");
        assertThat(continuation.firstToken()).isPositive();
    }

    @Test
    void streamThatBreaksOffIsNoContinuation() {
        take("data: {\"choices\":[{\"text\":\" the\"}]}");

        assertThatThrownBy(() -> events.end("transferred")).hasMessageContaining("ended early, after \" the\"");
    }

    @Test
    void errorInsideTheStreamIsTold() {
        assertThatThrownBy(() -> take("data: {\"error\":{\"code\":\"kv_timeout\"}}"))
                .hasMessageContaining("kv_timeout");
    }

    private void take(String... lines) {
        for (String line : lines) {
            events.take(line);
        }
    }
}
