package dev.tandem.transfer.channel.hccl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;

/** A rank of a service: a channel on one simulated device, and memory of its own. */
record SimulatedNode(HcclChannel channel, HcclMemory memory) implements AutoCloseable {

    static SimulatedNode on(int device, MemoryKind kind) {
        return on(device, kind, HcclSettings.Communicators.DEFAULTS);
    }

    static SimulatedNode on(int device, MemoryKind kind, HcclSettings.Communicators communicators) {
        HcclSettings settings = settings(device, kind, communicators);
        return new SimulatedNode(HcclChannel.open(settings, 0), HcclMemory.open(settings, 0));
    }

    static HcclSettings settings(int device, MemoryKind kind, HcclSettings.Communicators communicators) {
        return new HcclSettings(
                Optional.of(SimulatorLibrary.directory()),
                "node-a",
                List.of(device),
                kind,
                communicators,
                new HcclSettings.Network(addresses(), Path.of("no-such-tool"), 0, List.of(), Optional.empty()));
    }

    static HcclSettings.Communicators communicators(int max, Duration idleAfter) {
        return new HcclSettings.Communicators(1, 132, 4, max, idleAfter, Duration.ofSeconds(5));
    }

    MemoryRegion share(String id, long bytes) {
        MemoryRegion region = memory.allocate(id, bytes);
        channel.register(region);
        return region;
    }

    @Override
    public void close() {
        channel.close();
        memory.close();
    }

    private static Path addresses() {
        try {
            Path file = Files.createTempFile("hccn", ".conf");
            file.toFile().deleteOnExit();
            StringBuilder lines = new StringBuilder();
            for (int device = 0; device < 16; device++) {
                lines.append("address_%d=10.0.0.%d%n".formatted(device, device + 1));
            }
            return Files.writeString(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
