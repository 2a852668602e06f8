package dev.tandem.transfer.channel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this process holds of the system.
 *
 * @param descriptors open files and sockets; 0 where the system does not tell
 */
public record ProcessResources(int threads, int descriptors) {

    public static ProcessResources now() {
        return new ProcessResources(ManagementFactory.getThreadMXBean().getThreadCount(), openDescriptors());
    }

    private static int openDescriptors() {
        Path open = Path.of("/proc/self/fd");
        if (!Files.isDirectory(open)) {
            return 0;
        }
        try (Stream<Path> entries = Files.list(open)) {
            return (int) entries.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether this is at most that, give or take. */
    public boolean within(ProcessResources baseline, int slack) {
        return threads <= baseline.threads + slack && descriptors <= baseline.descriptors + slack;
    }
}
