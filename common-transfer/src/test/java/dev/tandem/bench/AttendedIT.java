package dev.tandem.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class AttendedIT {

    @TempDir
    Path folder;

    @Test
    void programEndsWhenNobodyHoldsItsInputAnyMore() throws Exception {
        Process program = start(List.of("--server.port=0", "--management.server.port=0"));
        try {
            assertThat(program.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();

            program.getOutputStream().close();

            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(program.exitValue()).isZero();
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void programThatEndsByItselfAnswersItsOwnExitCode() throws Exception {
        Process program = start(List.of("--fake=refuse"));
        try {
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(program.exitValue()).isEqualTo(3);
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void programThatThrowsFails() throws Exception {
        Process program = start(List.of("--server.port=none"));
        try {
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(program.exitValue()).isEqualTo(1);
        } finally {
            program.destroyForcibly();
        }
    }

    private Process start(List<String> arguments) throws IOException {
        NodePlan plan = NodePlan.of(Program.ofJar(FakeLoader.jar(folder), List.of()), arguments);
        return new ProcessBuilder(plan.command())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out.log").toFile())
                .start();
    }
}
