package dev.tandem.transfer.testing;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.tandem.transfer.DataType;
import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.KvFormat;
import dev.tandem.transfer.KvLayout;
import dev.tandem.transfer.channel.tcp.TcpChannel;
import dev.tandem.transfer.channel.tcp.TcpSettings;
import dev.tandem.transfer.memory.ChunkStore;
import dev.tandem.transfer.memory.HostMemory;
import dev.tandem.transfer.memory.RegisteredBuffer;
import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.peer.Channels;
import dev.tandem.transfer.peer.Compatibility;
import dev.tandem.transfer.wire.ZmqSockets;

/** What both kinds of node have, on real sockets in this process: pages of 256 bytes, each a chunk of 4 tokens. */
class TestNode implements AutoCloseable {

    /** {@code [2, 1 layer, 4 tokens, 8 wide]} of floats: 256 bytes. */
    static final KvLayout LAYOUT = new KvLayout(KvFormat.KV_2LTD, DataType.FLOAT, List.of(2, 1, 4, 8));

    static final int PAGES = 16;

    final Incarnation incarnation = Incarnation.random();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final TransferMetrics metrics = new TransferMetrics(registry);
    final HostMemory memory = new HostMemory();
    final RegisteredBuffer buffer = RegisteredBuffer.allocate(
            memory, UUID.randomUUID().toString(), PAGES * LAYOUT.pageBytes(), LAYOUT.pageBytes());
    final ChunkStore store = new ChunkStore(List.of(buffer), System::nanoTime);
    final FaultyChannel channel = new FaultyChannel(new TcpChannel(TcpSettings.of("127.0.0.1", "127.0.0.1", 0, 2)));
    final Channels channels = new Channels(List.of(channel));
    final ZmqSockets sockets = new ZmqSockets();
    final Duration stepTimeout;

    TestNode(Duration stepTimeout) {
        this.stepTimeout = stepTimeout;
        channel.register(buffer.region());
    }

    public FaultyChannel channel() {
        return channel;
    }

    public ChunkStore store() {
        return store;
    }

    public ZmqSockets sockets() {
        return sockets;
    }

    public static KvLayout layout() {
        return LAYOUT;
    }

    static Compatibility compatibility(KvLayout layout) {
        return Compatibility.of("test", 1, layout);
    }

    /** The value of a counter, over all its tags; 0 if it never counted. */
    public double count(String name) {
        return registry.find(name).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    @Override
    public void close() {
        channel.close();
        sockets.close();
        memory.close();
    }
}
