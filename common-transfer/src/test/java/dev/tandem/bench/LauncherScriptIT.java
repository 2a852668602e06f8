package dev.tandem.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@DisabledOnOs(OS.WINDOWS)
class LauncherScriptIT {

    private static final Path SCRIPT = Path.of("../tandem").toAbsolutePath().normalize();

    /** The JDK these tests run on is one that will do. */
    private static final Path JDK = Path.of(System.getProperty("java.home"));

    @TempDir
    Path folder;

    private record Result(int code, String text) {}

    @Test
    void helpExplainsEveryCommand() throws Exception {
        List<String> commands = Pattern.compile("^  ([a-z]+)\\) need_jdk", Pattern.MULTILINE)
                .matcher(Files.readString(SCRIPT))
                .results()
                .map(found -> found.group(1))
                .toList();

        String help = run(SCRIPT, "help").text();

        assertThat(commands).contains("demo", "up", "test", "build");
        assertThat(Pattern.compile("^  ([a-z]+) ", Pattern.MULTILINE)
                        .matcher(help)
                        .results()
                        .map(found -> found.group(1)))
                .containsAll(commands);
    }

    @Test
    void unknownCommandIsAnsweredWithTheUsageAndTwo() throws Exception {
        Result result = run(SCRIPT, "dmeo");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.text()).contains("no such command: dmeo", "Usage: tandem COMMAND");
    }

    @Test
    void linkInAnotherFolderWorks() throws Exception {
        Path direct = Files.createSymbolicLink(folder.resolve("direct"), SCRIPT);
        Path indirect = Files.createSymbolicLink(folder.resolve("indirect"), direct.getFileName());

        Result result = run(indirect, "jdk");

        assertThat(result).isEqualTo(new Result(0, JDK + "\n"));
        Files.delete(direct);
    }

    @Test
    void jdkThatIsTooOldIsPassedOver() throws Exception {
        Path old = fakeJdk("24.0.2", "javac");

        assertThat(run(SCRIPT, old, "jdk")).isEqualTo(new Result(0, JDK + "\n"));
    }

    @Test
    void newerJdkIsTaken() throws Exception {
        Path newer = fakeJdk("31-ea", "javac");

        assertThat(run(SCRIPT, newer, "jdk")).isEqualTo(new Result(0, newer + "\n"));
    }

    @Test
    void runtimeWithoutACompilerIsPassedOver() throws Exception {
        Path runtime = fakeJdk("25.0.1", "jshell");

        assertThat(run(SCRIPT, runtime, "jdk")).isEqualTo(new Result(0, JDK + "\n"));
    }

    /** A folder that looks like a JDK of that version and has one tool beside java. */
    private Path fakeJdk(String version, String tool) throws IOException {
        Path home = folder.resolve("fake-jdk");
        Path bin = Files.createDirectories(home.resolve("bin"));
        executable(bin.resolve("java"), """
                #!/bin/sh
                echo 'Picked up JAVA_TOOL_OPTIONS: -Dx' >&2
                echo 'openjdk version "%s" 2026-01-01' >&2
                """.formatted(version));
        executable(bin.resolve(tool), "#!/bin/sh\n");
        return home;
    }

    private static void executable(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Result run(Path script, String command) throws Exception {
        return run(script, JDK, command);
    }

    private Result run(Path script, Path javaHome, String command) throws Exception {
        Path output = folder.resolve("output");
        var builder = new ProcessBuilder(script.toString(), command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", javaHome.toString());
        builder.environment().merge("PATH", JDK.resolve("bin").toString(), (path, jdk) -> jdk + ":" + path);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly();
        }
    }
}
