package dev.tandem.transfer.channel.hccl;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The IP address of a device's own network port. */
final class HccnAddress {

    private static final long TOOL_SECONDS = 10;

    private HccnAddress() {}

    /**
     * Reads the file, then asks the tool; blocks up to 10 s.
     *
     * @param device physical id
     * @return empty when neither knows it
     */
    static Optional<String> of(int device, HcclSettings.Network network) {
        return fromFile(network.hccnConf(), device).or(() -> fromTool(network.hccnTool(), device));
    }

    private static Optional<String> fromFile(Path file, int device) {
        try {
            return Files.isReadable(file)
                    ? valueAfter("address_%d=".formatted(device), Files.readString(file))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> fromTool(Path tool, int device) {
        try {
            Process process = new ProcessBuilder(tool.toString(), "-i", Integer.toString(device), "-ip", "-g")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return process.waitFor(TOOL_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0
                        ? valueAfter("ipaddr:", output(process))
                        : Optional.empty();
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static String output(Process process) throws IOException {
        // Only what is there: a child of the tool may hold the pipe open.
        InputStream output = process.getInputStream();
        return new String(output.readNBytes(output.available()), StandardCharsets.UTF_8);
    }

    private static Optional<String> valueAfter(String key, String text) {
        return Stream.of(text.split("\\R"))
                .map(String::strip)
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()).strip())
                .filter(value -> !value.isEmpty())
                .findFirst();
    }
}
