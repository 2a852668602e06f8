package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.TransferBatch;

import static dev.tandem.transfer.channel.Pair.onThread;
import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class HcclChannelIT {

    private static final long MIB = 1L << 20;
    private static final int CHUNKS = 64;

    private final Simulator simulator = new Simulator();

    @AfterEach
    void nothingIsLeftOrMisused() {
        simulator.assertCleanEnd();
    }

    @Test
    void batchIsOnePutAndOneSynchroniseAndNeighboursAreOneDescriptor() {
        try (SimulatedNode sender = SimulatedNode.on(0, MemoryKind.DEVICE);
                SimulatedNode receiver = SimulatedNode.on(1, MemoryKind.DEVICE)) {
            MemoryRegion from = sender.share("from", 4 * MIB);
            MemoryRegion to = receiver.share("to", 4 * MIB);
            sender.fill(from, 7);
            Pair pair = sender.connectTo(receiver);
            long puts = simulator.counter("puts");
            long synchronises = simulator.counter("synchronises");
            long descriptors = simulator.counter("descriptors");
            long bytes = simulator.counter("bytes_put");
            TransferBatch neighbours = new TransferBatch();
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                neighbours.add(from, chunk * 1000L, pair.receivers().getFirst(), MIB + chunk * 1000L, 1000, 0);
            }

            pair.sender().write(neighbours, soon());

            assertThat(simulator.counter("puts") - puts).isEqualTo(1);
            assertThat(simulator.counter("synchronises") - synchronises).isEqualTo(1);
            assertThat(simulator.counter("descriptors") - descriptors).isEqualTo(1);
            assertThat(simulator.counter("bytes_put") - bytes).isEqualTo(neighbours.totalBytes());
            receiver.assertFilled(to, MIB, CHUNKS * 1000, 7);
        }
    }

    @Test
    void largeBatchGoesInSeveralPutsOnTheSameStream() {
        try (SimulatedNode sender = SimulatedNode.on(0, MemoryKind.HOST);
                SimulatedNode receiver = SimulatedNode.on(1, MemoryKind.HOST)) {
            MemoryRegion from = sender.share("from", 4 * MIB);
            receiver.share("to", 4 * MIB);
            Pair pair = sender.connectTo(receiver);
            long puts = simulator.counter("puts");
            long synchronises = simulator.counter("synchronises");
            TransferBatch scattered = new TransferBatch();
            for (int entry = 0; entry < 600; entry++) {
                scattered.add(from, entry * 100L, pair.receivers().getFirst(), entry * 200L, 100, 0);
            }

            pair.sender().write(scattered, soon());

            assertThat(simulator.counter("puts") - puts).isEqualTo(3);
            assertThat(simulator.counter("synchronises") - synchronises).isEqualTo(1);
        }
    }

    @Test
    void deviceMemoryIsReachedByCopiesOnly() {
        try (SimulatedNode node = SimulatedNode.on(0, MemoryKind.DEVICE)) {
            MemoryRegion region = node.memory().allocate("device", 3 * MIB);
            byte[] some = new byte[1000];
            Arrays.fill(some, (byte) 5);

            node.put(region, 3 * MIB - 1000, some);

            assertThat(node.get(region, 3 * MIB - 1000, 1000)).isEqualTo(some);
            assertThat(region.segment().address() % HcclMemory.PAGE).isZero();
            assertThatThrownBy(() -> region.segment().get(ValueLayout.JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> node.put(region, 3 * MIB - 999, some))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void memoryThatIsNotThereIsTooLarge() {
        try (SimulatedNode node = SimulatedNode.on(0, MemoryKind.DEVICE)) {
            assertThatThrownBy(() -> node.memory().allocate("huge", 100L << 40))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE))
                    .hasMessageContaining("buffer huge of 109951162777600 bytes: allocate: aclrtMalloc: 207001");
        }
    }

    @Test
    void devicesOfASuperPodMeetOverTheNewerRankTable() {
        simulator.set("HCCL_SIM_SOC", "Ascend910_9391");
        try (SimulatedNode sender = SimulatedNode.inSuperPod(0, MemoryKind.DEVICE);
                SimulatedNode receiver = SimulatedNode.inSuperPod(1, MemoryKind.DEVICE)) {
            MemoryRegion from = sender.share("from", 2 * MIB);
            MemoryRegion to = receiver.share("to", 2 * MIB);
            sender.fill(from, 7);
            Pair pair = sender.connectTo(receiver);

            pair.sender().write(SimulatedNode.batch(pair, from, MIB), soon());

            receiver.assertFilled(to, 0, MIB, 7);
        }
    }

    @Test
    void superPodDeviceWithoutAPlaceIsAnErrorAtTheStart() {
        simulator.set("HCCL_SIM_SOC", "Ascend910_9391");

        assertThatThrownBy(() -> SimulatedNode.on(0, MemoryKind.DEVICE))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("the runtime does not tell its super device id and super pod, set them");
    }

    @Test
    void visibleDevicesAreNamedByWhatTheyReallyAre() {
        simulator.set("ASCEND_RT_VISIBLE_DEVICES", "5,3");
        try (SimulatedNode node = SimulatedNode.on(0, MemoryKind.HOST)) {
            assertThat(node.channel()).hasToString("hccl on Ascend910B3, device 5 of node-a (10.0.0.6)");
        }
    }

    @Test
    void librariesOfAProcessComeFromOnePlace() {
        SimulatedNode.on(0, MemoryKind.HOST).close();
        HcclSettings elsewhere = new HcclSettings(
                Optional.of(Path.of("/elsewhere")),
                "node-a",
                List.of(),
                MemoryKind.HOST,
                HcclSettings.Communicators.DEFAULTS,
                HcclSettings.Network.DEFAULTS);

        assertThatThrownBy(() -> HcclChannel.open(elsewhere, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot load them from Optional[/elsewhere]");
    }

    @Test
    void oneDeviceCannotBeBothSides() {
        try (SimulatedNode node = SimulatedNode.on(0, MemoryKind.HOST)) {
            assertThatThrownBy(() ->
                            node.channel().offer("pair-self", node.channel().greeting(), MemoryGuard.CLOSED))
                    .isInstanceOfSatisfying(
                            ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
                    .hasMessage("hccl pair-self: both sides are on device 0 of node-a, with the same port");
        }
    }

    @Test
    void closingTheChannelEndsAHandshakeAndWaitsForItsThread() {
        long communicators = simulator.counter("comms_alive");
        SimulatedNode sender = SimulatedNode.on(0, MemoryKind.HOST);
        try (SimulatedNode receiver = SimulatedNode.on(1, MemoryKind.HOST)) {
            Offer offer =
                    receiver.channel().offer("pair-closing", sender.channel().greeting(), MemoryGuard.CLOSED);
            byte[] meta = offer.meta();
            FutureTask<Connection> connected =
                    onThread(() -> sender.channel().connect("pair-closing", meta, MemoryGuard.CLOSED, soon()));
            await().until(() -> simulator.counter("binds") > 0);

            sender.close();

            assertThatThrownBy(() -> connected.get(1, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
            assertThat(simulator.counter("comms_alive")).isEqualTo(communicators);
        }
    }

    @Test
    void idleEvictionAndClosingDoNotDisturbEachOther() {
        try (SimulatedNode sender = SimulatedNode.on(0, MemoryKind.HOST, 4, Duration.ofMillis(1));
                SimulatedNode receiver = SimulatedNode.on(1, MemoryKind.HOST)) {
            sender.share("from", 2 * MIB);
            receiver.share("to", 2 * MIB);
            for (int round = 0; round < 20; round++) {
                sender.connectTo(receiver).sender().close();
            }
        }
    }
}
