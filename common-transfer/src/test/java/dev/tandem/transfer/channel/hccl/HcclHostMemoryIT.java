package dev.tandem.transfer.channel.hccl;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.channel.ChannelContract;
import dev.tandem.transfer.channel.FabricNode;

class HcclHostMemoryIT extends ChannelContract {

    @Override
    protected FabricNode node(int number) {
        return SimulatedNode.on(number, MemoryKind.HOST);
    }

    @Override
    protected boolean noticesTheEnd() {
        return false;
    }
}
