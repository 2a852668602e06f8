package dev.tandem.transfer.channel.tcp;

import java.lang.foreign.Arena;
import java.time.Duration;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.FabricNode;

/** A TCP node on this host, with memory of its own. */
final class TcpTestNode extends FabricNode {

    private final Arena arena = Arena.ofShared();
    private final TcpChannel channel;

    TcpTestNode(TcpSettings settings) {
        this.channel = new TcpChannel(settings);
    }

    static TcpTestNode onLoopback() {
        return new TcpTestNode(settings(TcpSettings.Limits.DEFAULTS, TcpSettings.Patience.DEFAULTS));
    }

    static TcpTestNode with(TcpSettings.Limits limits) {
        return new TcpTestNode(settings(limits, TcpSettings.Patience.DEFAULTS));
    }

    static TcpTestNode with(Duration hello, Duration progress) {
        return new TcpTestNode(settings(TcpSettings.Limits.DEFAULTS, new TcpSettings.Patience(hello, progress)));
    }

    private static TcpSettings settings(TcpSettings.Limits limits, TcpSettings.Patience patience) {
        return new TcpSettings("127.0.0.1", "127.0.0.1", 0, 2, limits, patience);
    }

    @Override
    public TcpChannel channel() {
        return channel;
    }

    @Override
    protected MemoryRegion allocate(String id, long bytes) {
        return new MemoryRegion(id, arena.allocate(bytes, 2 << 20), MemoryKind.HOST);
    }

    @Override
    public void close() {
        channel.close();
        arena.close();
    }
}
