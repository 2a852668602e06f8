package dev.tandem.transfer.channel.hccl;

import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

import static dev.tandem.transfer.channel.hccl.ConnectedPair.SOON;
import static dev.tandem.transfer.channel.hccl.ConnectedPair.fill;
import static org.assertj.core.api.Assertions.assertThat;

class TwoProcessesIT {

    private static final long MIB = 1L << 20;

    @ParameterizedTest
    @EnumSource
    void bytesCrossFromOneProcessToTheOtherAndBack(MemoryKind kind) {
        try (PeerProcess receiver = PeerProcess.start(1, kind, Map.of());
                SimulatedNode sender = SimulatedNode.on(0, kind)) {
            MemoryRegion local = sender.share("local", 4 * MIB);
            fill(sender, local, 7);
            String name = "pair-" + UUID.randomUUID();
            byte[] offer = SimulatedPeer.bytes(receiver.ask("offer %s %s"
                    .formatted(name, SimulatedPeer.text(sender.channel().greeting()))));
            Connection connection = sender.channel().connect(name, offer, MemoryGuard.CLOSED, Deadline.after(SOON));
            assertThat(receiver.ask(
                            "import " + SimulatedPeer.text(sender.channel().exportMemory())))
                    .isEqualTo("1");
            RemoteRegion remote = connection
                    .importMemory(SimulatedPeer.bytes(receiver.ask("export")))
                    .getFirst();
            TransferBatch batch = new TransferBatch();
            batch.add(local, 0, remote, MIB, MIB, 0);

            connection.write(batch, Deadline.after(SOON));

            assertThat(receiver.ask("count 7")).isEqualTo(Long.toString(MIB));
            fill(sender, local, 9);
            connection.read(batch, Deadline.after(SOON));
            ConnectedPair.assertFilled(sender, local, 0, MIB, 7);
            ConnectedPair.assertFilled(sender, local, MIB, 3 * MIB, 9);
            connection.probe(Deadline.after(SOON));
            assertThat(receiver.ask("probe")).isEqualTo("probed");
            assertThat(connection.fence(Deadline.after(SOON))).isTrue();
            assertThat(receiver.ask("fence")).isEqualTo("true");
        }
    }
}
