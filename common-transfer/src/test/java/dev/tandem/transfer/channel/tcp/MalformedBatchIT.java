package dev.tandem.transfer.channel.tcp;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.TransferBatch;
import dev.tandem.transfer.channel.WatchfulGuard;

import static dev.tandem.transfer.channel.tcp.RawBatch.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A peer with a good tag that then breaks the rules. */
@Timeout(60)
class MalformedBatchIT {

    private static final int REGION_BYTES = 1 << 20;
    private static final Duration PROGRESS = Duration.ofMillis(500);

    private final WatchfulGuard guard = new WatchfulGuard();
    private TcpTestNode receiver;
    private MemoryRegion region;
    private byte[] before;

    @BeforeEach
    void openReceiver() {
        open(TcpTestNode.onLoopback());
    }

    private void open(TcpTestNode node) {
        receiver = node;
        region = receiver.share("region", REGION_BYTES);
        before = new byte[REGION_BYTES];
        new SplittableRandom(1).nextBytes(before);
        receiver.put(region, 0, before);
    }

    @AfterEach
    void closeReceiver() {
        guard.free();
        receiver.close();
    }

    static Stream<Arguments> malformed() {
        RawBatch good = RawBatch.write(entry(0, 0, 100));
        return Stream.of(
                arguments("another magic", good.withMagic(0x47455420), Violation.MAGIC),
                arguments("unknown kind", good.withKind(3), Violation.KIND),
                arguments("negative kind", good.withKind(-1), Violation.KIND),
                arguments("sequence of the past", good.withSequence(0), Violation.SEQUENCE),
                arguments("sequence of the future", good.withSequence(2), Violation.SEQUENCE),
                arguments("one entry too many", good.withEntries(16_385), Violation.ENTRIES),
                arguments("most entries a number can say", good.withEntries(Integer.MAX_VALUE), Violation.ENTRIES),
                arguments("negative entries", good.withEntries(-1), Violation.ENTRIES),
                arguments("probe with an entry", good.withKind(2), Violation.ENTRIES),
                arguments("unknown region", RawBatch.write(entry(1, 0, 100)), Violation.REGION),
                arguments("negative region", RawBatch.write(entry(-1, 0, 100)), Violation.REGION),
                arguments("no bytes", RawBatch.write(entry(0, 0, 0)), Violation.RANGE),
                arguments("negative bytes", RawBatch.write(entry(0, 0, -1)), Violation.RANGE),
                arguments("2^31 bytes", RawBatch.write(entry(0, 0, 1L << 31)), Violation.RANGE),
                arguments("2^63 bytes", RawBatch.write(entry(0, 0, Long.MIN_VALUE)), Violation.RANGE),
                arguments("2^63-1 bytes", RawBatch.write(entry(0, 0, Long.MAX_VALUE)), Violation.RANGE),
                arguments("negative offset", RawBatch.write(entry(0, -1, 1)), Violation.RANGE),
                arguments("offset at the end", RawBatch.write(entry(0, REGION_BYTES, 1)), Violation.RANGE),
                arguments("sum beyond 2^63", RawBatch.write(entry(0, Long.MAX_VALUE, 2)), Violation.RANGE),
                arguments("one byte too far", RawBatch.write(entry(0, 1, REGION_BYTES)), Violation.RANGE),
                arguments("good, then bad", RawBatch.write(entry(0, 0, 1), entry(9, 0, 1)), Violation.REGION),
                arguments("less than it says", good.withTotal(101), Violation.TOTAL),
                arguments("more than it says", good.withTotal(99), Violation.TOTAL),
                arguments("negative total", good.withTotal(-1), Violation.TOTAL),
                arguments("bad read", RawBatch.write(entry(0, 1, REGION_BYTES)).withKind(1), Violation.RANGE));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void isAnsweredAndHungUpOn(String name, RawBatch batch, Violation violation) {
        try (RawSender peer = RawSender.to(receiver.channel(), guard)) {
            peer.first().send(batch.toBytes());

            var answer = peer.first().receive(Answer.BYTES);

            assertThatThrownBy(() -> Answer.refused(answer, 1, 1))
                    .isInstanceOf(ChannelException.class)
                    .hasMessageContaining(violation.sentence());
            assertThat(peer.first().ended()).isTrue();
            assertThat(peer.reverse().ended()).isTrue();
            ChannelException cause = Pair.cause(peer.accepted().closed());
            assertThat(cause.reason()).isEqualTo(Reason.INVALID);
            assertThat(cause).hasMessageContaining(violation.sentence());
        }
        assertThat(guard.asked()).isEmpty();
        assertThat(receiver.get(region)).isEqualTo(before);
    }

    @Test
    void othersAreNotDisturbedAndMemoryStaysFlat() {
        try (TcpTestNode sender = TcpTestNode.onLoopback()) {
            MemoryRegion from = sender.share("from", REGION_BYTES);
            Pair other = Pair.of(sender.channel(), receiver.channel(), guard);
            var batch = new TransferBatch();
            batch.add(from, 0, other.receivers().getFirst(), 0, REGION_BYTES, 1);
            breakTheRules(20, batch, other);
            long directBefore = directBytes();

            breakTheRules(100, batch, other);

            assertThat(directBytes() - directBefore).isLessThan(1 << 20);
            assertThat(other.sender().closed()).isNotDone();
        }
    }

    private void breakTheRules(int times, TransferBatch batch, Pair other) {
        var random = new SplittableRandom(7);
        for (int i = 0; i < times; i++) {
            var garbage = new byte[random.nextInt(BatchHeader.BYTES, 4000)];
            random.nextBytes(garbage);
            try (RawSender peer = RawSender.to(receiver.channel(), guard)) {
                peer.first().send(garbage);
                Pair.cause(peer.accepted().closed());
            }
            if (i % 10 == 0) {
                other.sender().write(batch, Pair.soon());
            }
        }
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void halfAHeaderThatStallsEndsInTime() {
        closeReceiver();
        open(TcpTestNode.with(Duration.ofSeconds(5), PROGRESS));
        try (RawSender peer = RawSender.to(receiver.channel(), guard)) {
            peer.first().send(new byte[] {0x54, 0x44, 0x4D});

            assertThat(peer.first().ended()).isTrue();
            assertThat(Pair.cause(peer.accepted().closed()).reason()).isEqualTo(Reason.TIMED_OUT);
        }
    }

    @Test
    void payloadThatStallsEndsInTimeAndItsGuardIsTold() {
        closeReceiver();
        open(TcpTestNode.with(Duration.ofSeconds(5), PROGRESS));
        try (RawSender peer = RawSender.to(receiver.channel(), guard)) {
            peer.first().send(RawBatch.write(entry(0, 0, 1000)).toBytes()).send(new byte[10]);

            assertThat(Pair.cause(peer.accepted().closed()).reason()).isEqualTo(Reason.TIMED_OUT);
            assertThat(guard.ended()).isEqualTo(1);
        }
    }

    @Test
    void readerThatTakesNothingEndsInTimeAndItsGuardIsTold() {
        closeReceiver();
        open(TcpTestNode.with(Duration.ofSeconds(5), PROGRESS));
        MemoryRegion large = receiver.share("large", 64 << 20);
        try (RawSender peer = RawSender.to(receiver.channel(), guard)) {
            peer.first()
                    .send(RawBatch.write(entry(1, 0, large.bytes())).withKind(1).toBytes());

            assertThat(Pair.cause(peer.accepted().closed()).reason()).isEqualTo(Reason.TIMED_OUT);
            assertThat(guard.ended()).isEqualTo(1);
        }
    }

    @Test
    void peerThatDiesInsideAPayloadIsNoticedAndItsGuardIsTold() {
        List<RawSender> peers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            peers.add(RawSender.to(receiver.channel(), guard));
            peers.get(i)
                    .first()
                    .send(RawBatch.write(entry(0, 0, 1000)).toBytes())
                    .send(new byte[10]);
        }
        await().until(() -> guard.admitted() == 2);

        peers.getFirst().first().close();
        peers.getLast().first().reset();

        for (RawSender peer : peers) {
            assertThat(Pair.cause(peer.accepted().closed()).reason()).isEqualTo(Reason.BROKEN);
            assertThat(peer.reverse().ended()).isTrue();
            peer.close();
        }
        assertThat(guard.ended()).isEqualTo(2);
    }

    @Test
    void stalledPeersDoNotStarveTheOthersForLong() {
        closeReceiver();
        open(new TcpTestNode(new TcpSettings(
                "127.0.0.1",
                "127.0.0.1",
                0,
                2,
                new TcpSettings.Limits(16, 16, 1),
                new TcpSettings.Patience(Duration.ofSeconds(5), PROGRESS))));
        try (RawSender stalled = RawSender.to(receiver.channel(), guard);
                TcpTestNode sender = TcpTestNode.onLoopback()) {
            stalled.first().send(RawBatch.write(entry(0, 0, 1000)).toBytes());
            assertThat(guard.reached()).isTrue();

            Pair.of(sender.channel(), receiver.channel(), guard).sender().probe(Pair.soon());

            assertThat(stalled.first().ended()).isTrue();
        }
    }
}
