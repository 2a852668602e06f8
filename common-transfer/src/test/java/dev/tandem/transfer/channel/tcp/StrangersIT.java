package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.ProcessResources;
import dev.tandem.transfer.channel.WatchfulGuard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Whoever connects to the data port without a tag that is good now. */
@Timeout(60)
class StrangersIT {

    private static final Duration SHORT = Duration.ofMillis(300);

    private final WatchfulGuard guard = new WatchfulGuard();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T opened(T closeable) {
        open.add(closeable);
        return closeable;
    }

    private Offer offer(TcpTestNode receiver) {
        return receiver.channel().offer(Pair.name(), new Greeting(2, 16).toBytes(), guard);
    }

    private static ByteBuffer hello(Tag tag) {
        return new Hello(Hello.Role.CONNECTOR_DRIVES, tag).toBytes();
    }

    private static void assertUsable(TcpTestNode receiver, WatchfulGuard guard) {
        try (TcpTestNode sender = TcpTestNode.onLoopback()) {
            Pair.of(sender.channel(), receiver.channel(), guard).sender().probe(Pair.soon());
        }
    }

    @Test
    void garbageIsClosedAtOnce() {
        TcpTestNode receiver = opened(TcpTestNode.onLoopback());
        offer(receiver);
        var random = new SplittableRandom(5);
        for (int round = 0; round < 20; round++) {
            var garbage = new byte[random.nextInt(Hello.BYTES, 5000)];
            random.nextBytes(garbage);

            RawSocket stranger = opened(RawSocket.to(receiver.channel().port()));

            assertThat(stranger.send(garbage).ended()).isTrue();
        }
        assertUsable(receiver, guard);
    }

    @Test
    void wrongTagIsClosedAtOnce() {
        TcpTestNode receiver = opened(TcpTestNode.onLoopback());
        OfferMeta meta = OfferMeta.parse(offer(receiver).meta());

        RawSocket stranger = opened(RawSocket.to(meta.port())).send(hello(Tag.random()));

        assertThat(stranger.ended()).isTrue();
    }

    @Test
    void helloOfAnotherVersionIsClosedAtOnce() {
        TcpTestNode receiver = opened(TcpTestNode.onLoopback());
        OfferMeta meta = OfferMeta.parse(offer(receiver).meta());
        ByteBuffer hello = hello(meta.tag());
        hello.put(4, (byte) 2);

        assertThat(opened(RawSocket.to(meta.port())).send(hello).ended()).isTrue();
    }

    @Test
    void tagIsGoodForItsOwnConnectionsOnly() {
        TcpTestNode receiver = opened(TcpTestNode.onLoopback());
        Offer offer = offer(receiver);
        OfferMeta meta = OfferMeta.parse(offer.meta());
        for (int i = 0; i < meta.sockets(); i++) {
            RawSocket.to(meta.port()).send(hello(meta.tag())).receive(1);
        }

        RawSocket oneTooMany = opened(RawSocket.to(meta.port())).send(hello(meta.tag()));

        assertThat(oneTooMany.ended()).isTrue();
    }

    @Test
    void usedTagIsWorthNothing() {
        TcpTestNode receiver = opened(TcpTestNode.onLoopback());
        TcpTestNode sender = opened(TcpTestNode.onLoopback());
        Offer offer = offer(receiver);
        OfferMeta meta = OfferMeta.parse(offer.meta());
        sender.channel().connect("first", offer.meta(), guard, Pair.soon());
        offer.accept(Pair.soon());

        assertThat(opened(RawSocket.to(meta.port())).send(hello(meta.tag())).ended())
                .isTrue();
        assertThatThrownBy(() -> sender.channel().connect("again", offer.meta(), guard, Pair.soon()))
                .isInstanceOf(ChannelException.class);
    }

    @Test
    void tagEndsWithItsOffer() {
        TcpTestNode receiver = opened(TcpTestNode.onLoopback());
        Offer offer = offer(receiver);
        OfferMeta meta = OfferMeta.parse(offer.meta());

        offer.close();

        assertThat(opened(RawSocket.to(meta.port())).send(hello(meta.tag())).ended())
                .isTrue();
    }

    @Test
    void socketsOfAnOfferThatEndsAreClosed() {
        TcpTestNode receiver = opened(TcpTestNode.onLoopback());
        Offer offer = offer(receiver);
        OfferMeta meta = OfferMeta.parse(offer.meta());
        RawSocket early = opened(RawSocket.to(meta.port())).send(hello(meta.tag()));
        early.receive(1);

        assertThatThrownBy(() -> offer.accept(Deadline.after(SHORT))).isInstanceOf(ChannelException.class);

        assertThat(early.ended()).isTrue();
    }

    @Test
    void connectionThatNobodyAcceptedEndsWithItsOffer() {
        TcpTestNode receiver = opened(TcpTestNode.onLoopback());
        TcpTestNode sender = opened(TcpTestNode.onLoopback());
        Offer offer = offer(receiver);
        Connection connected = sender.channel().connect("unclaimed", offer.meta(), guard, Pair.soon());
        connected.probe(Pair.soon());

        offer.close();

        assertThat(Pair.cause(connected.closed()).reason()).isEqualTo(ChannelException.Reason.BROKEN);
        assertThat(receiver.channel().connections()).isZero();
        assertThatThrownBy(() -> offer.accept(Pair.soon())).isInstanceOf(ChannelException.class);
    }

    @Test
    void silentStrangersAreClosedInTimeAndHoldNoThread() {
        TcpTestNode receiver = opened(TcpTestNode.with(SHORT, Duration.ofSeconds(10)));
        OfferMeta meta = OfferMeta.parse(offer(receiver).meta());
        assertUsable(receiver, guard);
        int threads = ProcessResources.now().threads();
        List<RawSocket> silent = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            silent.add(opened(RawSocket.to(meta.port())));
        }
        RawSocket halfHello = opened(RawSocket.to(meta.port()))
                .send(Arrays.copyOf(hello(meta.tag()).array(), 20));
        silent.add(halfHello);

        assertThat(ProcessResources.now().threads()).isLessThan(threads + 10);
        assertUsable(receiver, guard);
        assertThat(silent).allMatch(RawSocket::ended);
    }

    @Test
    void strangersAreBoundedAndTheOldestGoFirst() {
        TcpTestNode receiver = opened(TcpTestNode.with(new TcpSettings.Limits(16, 8, 4)));
        List<RawSocket> silent = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            silent.add(opened(RawSocket.to(receiver.channel().port())));
        }

        assertThat(silent.subList(0, 22)).allMatch(RawSocket::ended);
        assertThat(silent.subList(22, 30)).allMatch(RawSocket::quiet);
        assertUsable(receiver, guard);
    }
}
