package dev.tandem.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(120)
class DemoIT {

    @TempDir
    Path folder;

    private Path jar = Path.of("");
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void writeJar() throws IOException {
        jar = FakeLoader.jar(folder);
    }

    @Test
    void promptGoesThroughBothAndIsAccountedFor() {
        int code = demo("--once", "--prompt=Call me");

        assertThat(text(err)).isEmpty();
        assertThat(code).isZero();
        assertThat(text(out)).contains("  Call me séa", "1 chunk", "3,072 bytes", "equal to those of one process");
        assertBothHaveEnded();
    }

    @Test
    void otherTokensOfOneProcessFailTheDemo() {
        int code = demo("--once", "--decode-arg=--fake=differ");

        assertThat(code).isEqualTo(1);
        assertThat(text(err)).contains("one process computing all continues otherwise: \" ship\"");
        assertBothHaveEnded();
    }

    @Test
    void recomputedKvFailsTheDemo() {
        assertThat(demo("--once", "--decode-arg=--fake=recompute")).isEqualTo(1);
        assertThat(text(err)).contains("the front door says: recomputed");
    }

    @Test
    void serviceThatDoesNotStartIsShownByItsLogAndNoneIsLeft() {
        int code = demo("--once", "--decode-arg=--fake=refuse");

        assertThat(code).isEqualTo(1);
        assertThat(text(err)).contains("decode-service ended with exit code 3", "no, I will not start");
        assertBothHaveEnded();
    }

    @Test
    void demoThatStaysUpEndsWithAServiceThatFails() throws InterruptedException {
        var pids = new ArrayList<ProcessHandle>();
        Thread killer = Thread.ofVirtual().start(() -> {
            await().atMost(Duration.ofSeconds(100)).until(() -> text(out).contains("Ctrl-C ends them"));
            pids.addAll(services());
            pids.getLast().destroyForcibly();
        });

        int code = demo();

        assertThat(killer.join(Duration.ofSeconds(10))).isTrue();
        assertThat(code).isEqualTo(1);
        assertThat(text(out)).contains("curl -s http://127.0.0.1:");
        assertThat(text(err)).contains("decode-service ended with exit code 137");
        assertBothHaveEnded();
    }

    /** On ports of the tests' own, so that a pair that runs on this host does not matter. */
    private int demo(String... more) {
        var free = new FreePorts();
        var arguments = new ArrayList<>(List.of(
                "--prefill-jar=" + jar,
                "--decode-jar=" + jar,
                "--logs=" + folder.resolve("run"),
                "--prefill-arg=--server.port=" + free.near(21_000),
                "--prefill-arg=--management.server.port=" + free.near(21_001),
                "--decode-arg=--server.port=" + free.near(21_002),
                "--decode-arg=--management.server.port=" + free.near(21_003)));
        arguments.addAll(Arrays.asList(more));
        return new Demo()
                .exitCode(arguments.toArray(String[]::new), new PrintStream(out, true), new PrintStream(err, true));
    }

    private void assertBothHaveEnded() {
        assertThat(text(out)).containsPattern("(?s)pid \\d+.*pid \\d+");
        assertThat(services()).noneMatch(ProcessHandle::isAlive);
    }

    private List<ProcessHandle> services() {
        return Pattern.compile("pid (\\d+)")
                .matcher(text(out))
                .results()
                .map(found -> ProcessHandle.of(Long.parseLong(found.group(1))))
                .flatMap(Optional::stream)
                .toList();
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
