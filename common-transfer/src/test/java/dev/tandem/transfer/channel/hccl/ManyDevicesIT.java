package dev.tandem.transfer.channel.hccl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.TransferBatch;

import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;

class ManyDevicesIT {

    private static final int RANKS = 4;
    private static final int CHUNKS = 64;
    private static final long CHUNK_BYTES = 16 * 1024;

    /** Eight devices in one process: each of four senders writes to every one of four receivers at the same time. */
    @Test
    void eachDeviceHasOneDataThreadHoweverManyPeersItHas() {
        List<SimulatedNode> nodes = IntStream.range(0, 2 * RANKS)
                .mapToObj(device -> SimulatedNode.on(device, MemoryKind.DEVICE))
                .toList();
        try {
            List<MemoryRegion> regions = new ArrayList<>();
            for (SimulatedNode node : nodes) {
                regions.add(node.share("region-" + regions.size(), 2 * RANKS * CHUNKS * CHUNK_BYTES));
            }
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int sender = 0; sender < RANKS; sender++) {
                nodes.get(sender).fill(regions.get(sender), 1 + sender);
                for (int receiver = RANKS; receiver < 2 * RANKS; receiver++) {
                    Pair pair = nodes.get(sender).connectTo(nodes.get(receiver));
                    TransferBatch batch = chunks(pair, regions.get(sender), sender * CHUNKS * CHUNK_BYTES);
                    writes.add(CompletableFuture.runAsync(
                            () -> {
                                for (int round = 0; round < 8; round++) {
                                    pair.sender().write(batch, soon());
                                }
                            },
                            task -> Thread.ofPlatform().daemon().start(task)));
                }
            }
            writes.forEach(CompletableFuture::join);

            assertThat(dataThreads())
                    .isEqualTo(IntStream.range(0, 2 * RANKS)
                            .mapToObj("hccl-lane-%d"::formatted)
                            .collect(Collectors.toSet()));
            for (int receiver = RANKS; receiver < 2 * RANKS; receiver++) {
                for (int sender = 0; sender < RANKS; sender++) {
                    nodes.get(receiver)
                            .assertFilled(
                                    regions.get(receiver),
                                    sender * CHUNKS * CHUNK_BYTES,
                                    CHUNKS * CHUNK_BYTES,
                                    1 + sender);
                }
            }
        } finally {
            nodes.forEach(SimulatedNode::close);
        }
    }

    private static TransferBatch chunks(Pair pair, MemoryRegion from, long remoteAt) {
        TransferBatch batch = new TransferBatch();
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            batch.add(
                    from,
                    2 * chunk * CHUNK_BYTES,
                    pair.receivers().getFirst(),
                    remoteAt + chunk * CHUNK_BYTES,
                    CHUNK_BYTES,
                    0);
        }
        return batch;
    }

    /** Threads that serve connections; each node also has one for control calls and one for host copies. */
    private static Set<String> dataThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("hccl-"))
                .filter(name -> !name.startsWith("hccl-control-") && !name.startsWith("hccl-memory-"))
                .collect(Collectors.toSet());
    }
}
