package dev.tandem.transfer.channel.hccl;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;

import static dev.tandem.transfer.channel.hccl.ConnectedPair.SOON;
import static dev.tandem.transfer.channel.hccl.ConnectedPair.assertFilled;
import static dev.tandem.transfer.channel.hccl.ConnectedPair.fill;
import static org.assertj.core.api.Assertions.assertThat;

class HcclChannelIT {

    private static final long MIB = 1L << 20;

    @ParameterizedTest
    @EnumSource
    void bytesLandWhereTheyAreWritten(MemoryKind kind) {
        try (SimulatedNode sender = SimulatedNode.on(0, kind);
                SimulatedNode receiver = SimulatedNode.on(1, kind)) {
            MemoryRegion from = sender.share("from", 4 * MIB);
            MemoryRegion to = receiver.share("to", 4 * MIB);
            fill(sender, from, 7);
            fill(receiver, to, 1);
            ConnectedPair pair = ConnectedPair.of(sender, receiver);

            pair.sender().write(pair.batch(from, MIB), Deadline.after(SOON));

            assertFilled(receiver, to, 0, MIB, 7);
            assertFilled(receiver, to, MIB, 3 * MIB, 1);
            pair.sender().probe(Deadline.after(SOON));
            pair.receiver().probe(Deadline.after(SOON));
            assertThat(pair.sender().fence(Deadline.after(SOON))).isTrue();
            assertThat(pair.receiver().fence(Deadline.after(SOON))).isTrue();
        }
    }
}
