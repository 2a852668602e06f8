package dev.tandem.transfer.channel.hccl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.FabricNode;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.TransferBatch;

import static org.assertj.core.api.Assertions.assertThat;

/** A rank of a service: a channel on one simulated device, and memory of its own. */
final class SimulatedNode extends FabricNode {

    private final HcclChannel channel;
    private final HcclMemory memory;

    SimulatedNode(HcclSettings settings) {
        this.channel = HcclChannel.open(settings, 0);
        this.memory = HcclMemory.open(settings, 0);
    }

    static SimulatedNode on(int device, MemoryKind kind) {
        return new SimulatedNode(settings(device, kind, HcclSettings.Communicators.DEFAULTS));
    }

    static SimulatedNode on(int device, MemoryKind kind, int maxCommunicators, Duration idleAfter) {
        return new SimulatedNode(settings(
                device,
                kind,
                new HcclSettings.Communicators(1, 132, 4, maxCommunicators, idleAfter, Duration.ofSeconds(5))));
    }

    /** A device that has a place in a super pod. */
    static SimulatedNode inSuperPod(int device, MemoryKind kind) {
        HcclSettings plain = settings(device, kind, HcclSettings.Communicators.DEFAULTS);
        return new SimulatedNode(new HcclSettings(
                plain.libraryDirectory(),
                plain.host(),
                plain.devices(),
                kind,
                plain.communicators(),
                new HcclSettings.Network(
                        plain.network().hccnConf(),
                        plain.network().hccnTool(),
                        0,
                        List.of(1_000L + device),
                        Optional.of("pod-1"))));
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

    Pair connectTo(SimulatedNode receiver) {
        return Pair.of(channel, receiver.channel, MemoryGuard.CLOSED);
    }

    /** One entry from the beginning of {@code local} to the beginning of the receiver's first region. */
    static TransferBatch batch(Pair pair, MemoryRegion local, long bytes) {
        TransferBatch batch = new TransferBatch();
        batch.add(local, 0, pair.receivers().getFirst(), 0, bytes, 0);
        return batch;
    }

    void fill(MemoryRegion region, int value) {
        byte[] bytes = new byte[Math.toIntExact(region.bytes())];
        Arrays.fill(bytes, (byte) value);
        put(region, 0, bytes);
    }

    void assertFilled(MemoryRegion region, long from, long bytes, int value) {
        assertThat(get(region, from, Math.toIntExact(bytes))).containsOnly(value);
    }

    HcclMemory memory() {
        return memory;
    }

    @Override
    public HcclChannel channel() {
        return channel;
    }

    @Override
    protected MemoryRegion allocate(String id, long bytes) {
        return memory.allocate(id, bytes);
    }

    @Override
    public void put(MemoryRegion region, long offset, byte[] bytes) {
        try (Arena arena = Arena.ofConfined()) {
            memory.copyIn(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), region, offset);
        }
    }

    @Override
    public byte[] get(MemoryRegion region, long offset, int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(bytes);
            memory.copyOut(region, offset, found);
            return found.toArray(ValueLayout.JAVA_BYTE);
        }
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
