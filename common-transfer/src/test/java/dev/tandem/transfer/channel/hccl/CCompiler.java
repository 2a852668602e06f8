package dev.tandem.transfer.channel.hccl;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The system's C compiler. Tests that need it are skipped, saying so, where there is none. */
final class CCompiler {

    private static final long SECONDS = 120;

    private final Path executable;

    private CCompiler(Path executable) {
        this.executable = executable;
    }

    static CCompiler find() {
        Optional<Path> found = Stream.of("cc", "gcc", "clang")
                .flatMap(name -> Stream.of(
                                System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .map(directory -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(found.isPresent(), "skipped: there is no C compiler (cc, gcc or clang) on the PATH");
        return new CCompiler(found.orElseThrow());
    }

    /** Compiles {@code source} into a shared library. */
    Path library(Path directory, String file, String source) {
        return compile(directory, file, source, "-shared", "-fPIC");
    }

    Path program(Path directory, String file, String source) {
        return compile(directory, file, source);
    }

    static String run(Path directory, List<String> command) {
        try {
            Path output = Files.createTempFile(directory, "run", ".out");
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
                String text = Files.readString(output, StandardCharsets.UTF_8);
                assertThat(ended && process.exitValue() == 0)
                        .as("%s: %s", command, text)
                        .isTrue();
                return text;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(command + ": interrupted", e);
        }
    }

    private Path compile(Path directory, String file, String source, String... flags) {
        try {
            Path target = directory.resolve(file);
            Path sourceFile = Files.writeString(directory.resolve(file + ".c"), source);
            List<String> command = new ArrayList<>(List.of(executable.toString(), "-O2", "-Wall", "-Werror"));
            command.addAll(List.of(flags));
            command.addAll(List.of("-o", target.toString(), sourceFile.toString()));
            run(directory, command);
            return target;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
