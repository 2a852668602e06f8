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

    /** Compiles {@code source} into a shared library of that name. */
    Path library(Path directory, String file, String source) {
        library(directory.resolve(file), List.of(written(directory, file, source)), List.of());
        return directory.resolve(file);
    }

    /** @param flags for the compiler; those for the linker last */
    void library(Path target, List<Path> sources, List<String> flags) {
        List<String> all = new ArrayList<>(List.of("-shared", "-fPIC", "-Wl,-soname," + target.getFileName()));
        all.addAll(flags);
        compile(target, sources, all);
    }

    Path program(Path directory, String file, String source) {
        compile(directory.resolve(file), List.of(written(directory, file, source)), List.of());
        return directory.resolve(file);
    }

    static String run(List<String> command) {
        try {
            Path output = Files.createTempFile("run", ".out");
            Process process = new ProcessBuilder(command)
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
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(command + ": interrupted", e);
        }
    }

    private static Path written(Path directory, String file, String source) {
        try {
            return Files.writeString(directory.resolve(file + ".c"), source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compile(Path target, List<Path> sources, List<String> flags) {
        List<String> command = new ArrayList<>(List.of(executable.toString(), "-O2", "-Wall", "-Werror"));
        sources.forEach(source -> command.add(source.toString()));
        command.addAll(flags);
        command.addAll(List.of("-o", target.toString()));
        run(command);
    }
}
