package dev.tandem.transfer.testing;

import java.time.Duration;
import java.util.function.UnaryOperator;

import dev.tandem.transfer.KvLayout;
import dev.tandem.transfer.PeerId;
import dev.tandem.transfer.handover.AllocPort;
import dev.tandem.transfer.handover.KvArrivals;
import dev.tandem.transfer.handover.Receiver;
import dev.tandem.transfer.handover.ReceiverSettings;
import dev.tandem.transfer.handover.StoreGuard;
import dev.tandem.transfer.peer.HandshakeSettings;
import dev.tandem.transfer.peer.InboundPeers;
import dev.tandem.transfer.peer.InitPort;
import dev.tandem.transfer.peer.ReceiverHandshakes;
import dev.tandem.transfer.wire.AllocDialect;
import dev.tandem.transfer.wire.MessageCodec;
import dev.tandem.transfer.wire.RequestServer;

/** A receiver in this process, wired as the decode service wires it. */
public final class ReceiverNode extends TestNode {

    private final InboundPeers peers = new InboundPeers(incarnation, 64);
    private final KvArrivals arrivals = new KvArrivals(Duration.ofSeconds(5), 100, System::nanoTime, metrics);
    private final Receiver receiver;
    private final RequestServer allocServer;
    private final RequestServer initServer;

    /** How a receiver differs from the usual one. */
    public record Options(
            Duration stepTimeout,
            Duration lease,
            Duration heartbeat,
            int initPort,
            int allocPort,
            KvLayout layout,
            UnaryOperator<RequestServer.Handler> initHandler) {

        public static Options usual() {
            return new Options(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10),
                    0,
                    0,
                    LAYOUT,
                    handler -> handler);
        }

        public Options stepTimeout(Duration other) {
            return new Options(other, lease, heartbeat, initPort, allocPort, layout, initHandler);
        }

        public Options lease(Duration other) {
            return new Options(stepTimeout, other, heartbeat, initPort, allocPort, layout, initHandler);
        }

        public Options ports(int init, int alloc) {
            return new Options(stepTimeout, lease, heartbeat, init, alloc, layout, initHandler);
        }

        public Options layout(KvLayout other) {
            return new Options(stepTimeout, lease, heartbeat, initPort, allocPort, other, initHandler);
        }

        public Options initHandler(UnaryOperator<RequestServer.Handler> other) {
            return new Options(stepTimeout, lease, heartbeat, initPort, allocPort, layout, other);
        }
    }

    public ReceiverNode(Options options) {
        super(options.stepTimeout());
        receiver = new Receiver(
                new ReceiverSettings(
                        incarnation,
                        0,
                        LAYOUT,
                        Duration.ofMillis(200),
                        options.lease(),
                        Duration.ofSeconds(60),
                        1000,
                        4),
                peers,
                store,
                arrivals,
                () -> false,
                metrics,
                System::nanoTime);
        allocServer = new RequestServer(
                sockets,
                "127.0.0.1",
                options.allocPort(),
                new AllocPort(receiver, new MessageCodec(), AllocDialect.ASCEND, metrics));
        var handshakes = new ReceiverHandshakes(
                new HandshakeSettings(
                        "receiver",
                        incarnation,
                        0,
                        allocServer.port(),
                        compatibility(options.layout()),
                        stepTimeout,
                        options.lease(),
                        options.heartbeat(),
                        Duration.ofSeconds(1)),
                peers,
                channels,
                new StoreGuard(store),
                () -> false,
                metrics);
        initServer = new RequestServer(
                sockets,
                "127.0.0.1",
                options.initPort(),
                options.initHandler().apply(new InitPort(handshakes, new MessageCodec())));
    }

    public static ReceiverNode usual() {
        return new ReceiverNode(Options.usual());
    }

    public PeerId id() {
        return new PeerId("127.0.0.1", initServer.port());
    }

    public int allocPort() {
        return allocServer.port();
    }

    public InboundPeers peers() {
        return peers;
    }

    public KvArrivals arrivals() {
        return arrivals;
    }

    public Receiver receiver() {
        return receiver;
    }

    @Override
    public void close() {
        initServer.close();
        allocServer.close();
        super.close();
    }
}
