package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

import static org.assertj.core.api.Assertions.assertThat;

/** The two ends of one handshake within this process, memory imported. */
record ConnectedPair(Connection sender, Connection receiver, List<RemoteRegion> receiversRegions) {

    static final Duration SOON = Duration.ofSeconds(10);

    static ConnectedPair of(SimulatedNode sender, SimulatedNode receiver) {
        return of("pair-" + UUID.randomUUID(), sender, receiver);
    }

    static ConnectedPair of(String name, SimulatedNode sender, SimulatedNode receiver) {
        Offer offer = receiver.channel().offer(name, sender.channel().greeting(), MemoryGuard.CLOSED);
        CompletableFuture<Connection> accepted = onThread(() -> offer.accept(Deadline.after(SOON)));
        Connection connected = sender.channel().connect(name, offer.meta(), MemoryGuard.CLOSED, Deadline.after(SOON));
        accepted.join().importMemory(sender.channel().exportMemory());
        return new ConnectedPair(
                connected,
                accepted.join(),
                connected.importMemory(receiver.channel().exportMemory()));
    }

    static <T> CompletableFuture<T> onThread(java.util.function.Supplier<T> work) {
        return CompletableFuture.supplyAsync(
                work, task -> Thread.ofPlatform().daemon().start(task));
    }

    /** One entry from the beginning of {@code local} to the beginning of the receiver's first region. */
    TransferBatch batch(MemoryRegion local, long bytes) {
        TransferBatch batch = new TransferBatch();
        batch.add(local, 0, receiversRegions.getFirst(), 0, bytes, 0);
        return batch;
    }

    static void fill(SimulatedNode node, MemoryRegion region, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(region.bytes()).fill((byte) value);
            node.memory().copyIn(bytes, region, 0);
        }
    }

    static void assertFilled(SimulatedNode node, MemoryRegion region, long from, long bytes, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(bytes);
            node.memory().copyOut(region, from, found);
            assertThat(found.toArray(ValueLayout.JAVA_BYTE)).containsOnly(value);
        }
    }
}
