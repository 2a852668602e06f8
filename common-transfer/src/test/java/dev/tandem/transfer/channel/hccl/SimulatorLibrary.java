package dev.tandem.transfer.channel.hccl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The simulator of the native libraries, built with the system's C compiler when it is first needed, and again when its
 * sources have changed. Tests that need it are skipped where there is no compiler.
 */
public final class SimulatorLibrary {

    private static final Path MODULE = Path.of("common-transfer");
    private static final Path SOURCES = Path.of("src", "test", "native", "hccl-simulator");

    private SimulatorLibrary() {}

    /** Where {@code libascendcl.so} and {@code libhcomm.so} are. */
    public static synchronized Path directory() {
        try {
            Path module =
                    Files.isDirectory(SOURCES) ? Path.of("") : Path.of("..").resolve(MODULE);
            Path sources = module.resolve(SOURCES).toAbsolutePath().normalize();
            Path built = module.resolve("target")
                    .resolve("hccl-simulator-" + fingerprint(sources))
                    .toAbsolutePath()
                    .normalize();
            if (!Files.exists(built)) {
                build(sources, built);
            }
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Built beside its place and then moved, so that no other process sees half of it. */
    private static void build(Path sources, Path built) throws IOException {
        CCompiler compiler = CCompiler.find();
        Path fresh = Files.createTempDirectory(Files.createDirectories(built.resolveSibling("hccl-simulator")), "new");
        List<String> flags = List.of(
                "-std=c11",
                "-D_GNU_SOURCE",
                "-g",
                "-fvisibility=hidden",
                "-pthread",
                "-I" + sources.resolve("include"),
                "-I" + sources.resolve("acl"));
        compiler.library(fresh.resolve("libascendcl.so"), sources(sources.resolve("acl")), flags);
        List<String> linked = new ArrayList<>(flags);
        linked.addAll(List.of("-L" + fresh, "-lascendcl", "-Wl,-rpath,$ORIGIN"));
        compiler.library(fresh.resolve("libhcomm.so"), sources(sources.resolve("hccl")), linked);
        try {
            Files.move(fresh, built, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            if (!Files.exists(built)) {
                throw e;
            }
        }
    }

    private static List<Path> sources(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".c")).sorted().toList();
        }
    }

    private static String fingerprint(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                digest.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
