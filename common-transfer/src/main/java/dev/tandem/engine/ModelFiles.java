package dev.tandem.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/** What a model is read from: a folder, or the folder within the jar. */
record ModelFiles(ModelConfig config, Safetensors weights) {

    private static final String BUNDLED = "reference/";
    private static final long MAX_BYTES = 1L << 30;

    /**
     * Reads both files.
     *
     * @throws IllegalArgumentException when one is not what it must be
     * @throws UncheckedIOException when one cannot be read
     */
    static ModelFiles read(Optional<Path> folder) {
        return new ModelFiles(
                ModelConfig.parse(bytes(folder, "config.json")), Safetensors.parse(bytes(folder, "model.safetensors")));
    }

    private static byte[] bytes(Optional<Path> folder, String name) {
        try {
            return folder.isPresent() ? fromFolder(folder.get().resolve(name)) : fromJar(name);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "model file %s of %s: %s"
                            .formatted(name, folder.map(Path::toString).orElse("the jar"), e),
                    e);
        }
    }

    private static byte[] fromFolder(Path file) throws IOException {
        long bytes = Files.size(file);
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "model file %s: %d bytes, at most %d are read".formatted(file, bytes, MAX_BYTES));
        }
        return Files.readAllBytes(file);
    }

    private static byte[] fromJar(String name) throws IOException {
        try (InputStream in = ModelFiles.class.getResourceAsStream(BUNDLED + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }
}
