package dev.tandem.transfer.channel.hccl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.TransferBatch;

import static dev.tandem.transfer.channel.Pair.onThread;
import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;

class ManyDevicesIT {

    private static final int RANKS = 8;
    private static final int PEERS = 2;
    private static final int CHUNKS = 64;
    private static final int ROUNDS = 8;
    private static final long CHUNK_BYTES = 16 * 1024;
    private static final long CHUNKS_BYTES = CHUNKS * CHUNK_BYTES;

    private final Simulator simulator = new Simulator();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<MemoryRegion> regions = new ArrayList<>();

    /** Eight ranks send to two of eight others each, all at the same time and all in this process. */
    @Test
    void eachDeviceHasOneDataThreadHoweverManyPeersItHas() {
        simulator.set("HCCL_SIM_DEVICES", Integer.toString(2 * RANKS));
        try {
            openAll();
            long puts = simulator.counter("puts");
            long bytes = simulator.counter("bytes_put");
            List<FutureTask<Integer>> writers = new ArrayList<>();
            for (int sender = 0; sender < RANKS; sender++) {
                for (int peer = 0; peer < PEERS; peer++) {
                    writers.add(writer(sender, peer));
                }
            }
            int written = writers.stream().mapToInt(Pair::result).sum();

            assertThat(simulator.counter("puts") - puts).isEqualTo(written);
            assertThat(simulator.counter("bytes_put") - bytes).isEqualTo(written * CHUNKS_BYTES);
            assertThat(threadsThatServeConnections()).isEqualTo(lanes());
            assertThat(regions).hasSize(2 * RANKS);
            for (int sender = 0; sender < RANKS; sender++) {
                for (int peer = 0; peer < PEERS; peer++) {
                    int receiver = receiver(sender, peer);
                    nodes.get(receiver)
                            .assertFilled(regions.get(receiver), peer * CHUNKS_BYTES, CHUNKS_BYTES, 1 + sender);
                }
            }
        } finally {
            nodes.forEach(SimulatedNode::close);
        }
        simulator.assertCleanEnd();
    }

    private void openAll() {
        for (int device = 0; device < 2 * RANKS; device++) {
            SimulatedNode node = SimulatedNode.on(device, MemoryKind.DEVICE);
            nodes.add(node);
            regions.add(node.share("region-" + device, 2 * CHUNKS_BYTES));
            node.fill(regions.get(device), 1 + device);
        }
    }

    private static int receiver(int sender, int peer) {
        return RANKS + (sender + peer) % RANKS;
    }

    /** @return a task that ends with the number of batches it has written */
    private FutureTask<Integer> writer(int sender, int peer) {
        Pair pair = nodes.get(sender).connectTo(nodes.get(receiver(sender, peer)));
        TransferBatch batch = new TransferBatch();
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            batch.add(
                    regions.get(sender),
                    2L * chunk * CHUNK_BYTES,
                    pair.receivers().getFirst(),
                    peer * CHUNKS_BYTES + chunk * CHUNK_BYTES,
                    CHUNK_BYTES,
                    0);
        }
        return onThread(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                pair.sender().write(batch, soon());
            }
            return ROUNDS;
        });
    }

    /** Each node also has a thread for control calls and two for copies between host and device. */
    private static Set<String> threadsThatServeConnections() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("hccl-"))
                .filter(name -> !name.startsWith("hccl-control-") && !name.startsWith("hccl-memory-"))
                .collect(Collectors.toSet());
    }

    private static Set<String> lanes() {
        return IntStream.range(0, 2 * RANKS).mapToObj("hccl-lane-%d"::formatted).collect(Collectors.toSet());
    }
}
