package dev.tandem.transfer.channel.hccl;

import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TwoProcessesIT {

    private static final long MIB = 1L << 20;

    private final Simulator simulator = new Simulator();

    @ParameterizedTest
    @EnumSource
    void bytesCrossFromOneProcessToTheOtherAndBack(MemoryKind kind) {
        try (PeerProcess receiver = PeerProcess.start(1, kind, Map.of());
                SimulatedNode sender = SimulatedNode.on(0, kind)) {
            MemoryRegion local = sender.share("local", 4 * MIB);
            sender.fill(local, 7);
            Connection connection = connect(sender, receiver);
            TransferBatch batch = batch(local, importRegion(connection, receiver));

            connection.write(batch, soon());

            assertThat(receiver.ask("count 7")).isEqualTo(Long.toString(MIB));
            sender.fill(local, 9);
            connection.read(batch, soon());
            sender.assertFilled(local, 0, MIB, 7);
            sender.assertFilled(local, MIB, 3 * MIB, 9);
            connection.probe(soon());
            assertThat(receiver.ask("probe")).isEqualTo("probed");
            assertThat(connection.fence(soon())).isTrue();
            assertThat(receiver.ask("fence")).isEqualTo("true");
        }
        simulator.assertCleanEnd();
    }

    @Test
    void handlesOfAProcessThatWasRestartedReachNothing() {
        try (SimulatedNode sender = SimulatedNode.on(0, MemoryKind.DEVICE)) {
            MemoryRegion local = sender.share("local", 4 * MIB);
            sender.fill(local, 7);
            PeerProcess first = PeerProcess.start(1, MemoryKind.DEVICE, Map.of());
            Connection old = connect(sender, first);
            TransferBatch stale = batch(local, importRegion(old, first));
            old.write(stale, soon());

            first.kill();
            try (PeerProcess second = PeerProcess.start(1, MemoryKind.DEVICE, Map.of())) {
                assertThatThrownBy(() -> old.write(stale, soon()))
                        .isInstanceOfSatisfying(
                                ChannelException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.BROKEN));
                assertThat(second.ask("count 7")).isEqualTo("0");
                assertThat(old.fence(soon())).isTrue();

                Connection next = connect(sender, second);
                RemoteRegion region = importRegion(next, second);
                assertThatThrownBy(() -> next.write(stale, soon())).isInstanceOf(IllegalArgumentException.class);
                assertThat(second.ask("count 7")).isEqualTo("0");
                next.write(batch(local, region), soon());
                assertThat(second.ask("count 7")).isEqualTo(Long.toString(MIB));
            }
        }
        simulator.assertCleanEnd();
    }

    private static Connection connect(SimulatedNode sender, PeerProcess receiver) {
        String name = "pair-" + UUID.randomUUID();
        String greeting = SimulatedPeer.text(sender.channel().greeting());
        byte[] offer = SimulatedPeer.bytes(receiver.ask("offer %s %s".formatted(name, greeting)));
        Connection connection = sender.channel().connect(name, offer, MemoryGuard.CLOSED, soon());
        assertThat(receiver.ask("import " + SimulatedPeer.text(sender.channel().exportMemory())))
                .isEqualTo("1");
        return connection;
    }

    private static RemoteRegion importRegion(Connection connection, PeerProcess receiver) {
        return connection
                .importMemory(SimulatedPeer.bytes(receiver.ask("export")))
                .getFirst();
    }

    private static TransferBatch batch(MemoryRegion local, RemoteRegion remote) {
        TransferBatch batch = new TransferBatch();
        batch.add(local, 0, remote, MIB, MIB, 0);
        return batch;
    }
}
