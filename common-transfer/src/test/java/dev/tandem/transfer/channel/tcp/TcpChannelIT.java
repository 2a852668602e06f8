package dev.tandem.transfer.channel.tcp;

import dev.tandem.transfer.channel.ChannelContract;
import dev.tandem.transfer.channel.FabricNode;

class TcpChannelIT extends ChannelContract {

    @Override
    protected FabricNode node(int number) {
        return TcpTestNode.onLoopback();
    }
}
