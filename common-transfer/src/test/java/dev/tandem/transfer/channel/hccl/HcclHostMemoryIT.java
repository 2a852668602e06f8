package dev.tandem.transfer.channel.hccl;

import java.util.Optional;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.channel.ChannelContract;
import dev.tandem.transfer.channel.FabricNode;

class HcclHostMemoryIT extends ChannelContract {

    private static Optional<Simulator> simulator = Optional.empty();

    @BeforeAll
    static void startClean() {
        simulator = Optional.of(new Simulator());
    }

    @AfterAll
    static void nothingIsLeftOrMisused() {
        simulator.ifPresent(Simulator::assertCleanEnd);
    }

    @Override
    protected FabricNode node(int number) {
        return SimulatedNode.on(number, MemoryKind.HOST);
    }

    @Override
    protected boolean noticesTheEnd() {
        return false;
    }
}
