package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Pair;

import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class EvictionIT {

    private static final Duration NEVER = Duration.ofDays(1);
    private static final long MIB = 1L << 20;

    @Test
    void leastRecentlyUsedConnectionGivesWayWhenThereIsNoRoom() throws Exception {
        try (SimulatedNode sender = node(0, 2, NEVER);
                SimulatedNode one = node(1, 8, NEVER);
                SimulatedNode two = node(2, 8, NEVER);
                SimulatedNode three = node(3, 8, NEVER)) {
            MemoryRegion local = sender.share("local", 2 * MIB);
            one.share("one", 2 * MIB);
            two.share("two", 2 * MIB);
            three.share("three", 2 * MIB);
            Pair first = sender.connectTo(one);
            Pair second = sender.connectTo(two);
            first.sender().write(SimulatedNode.batch(first, local, 10), soon());
            await().until(() -> idleMillis(second.sender()) > 1_050 && idleMillis(first.sender()) > 1_050);

            Pair third = sender.connectTo(three);

            assertThat(second.sender().closed().get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("closed, idle for")
                    .extracting(ChannelException::reason)
                    .isEqualTo(Reason.CLOSED);
            first.sender().write(SimulatedNode.batch(first, local, 10), soon());
            third.sender().write(SimulatedNode.batch(third, local, 10), soon());
            Pair again = secondAfterIdleness(sender, two, first, third);
            again.sender().write(SimulatedNode.batch(again, local, 10), soon());
        }
    }

    @Test
    void peerIsRefusedWhileEveryConnectionIsInUse() {
        try (SimulatedNode sender = node(0, 1, NEVER);
                SimulatedNode one = node(1, 8, NEVER);
                SimulatedNode two = node(2, 8, NEVER)) {
            sender.share("local", 2 * MIB);
            Pair first = sender.connectTo(one);
            byte[] offer = two.channel()
                    .offer("pair-refused", sender.channel().greeting(), MemoryGuard.CLOSED)
                    .meta();

            assertThatThrownBy(() -> sender.channel().connect("pair-refused", offer, MemoryGuard.CLOSED, soon()))
                    .isInstanceOf(ChannelException.class)
                    .hasMessageContaining("1 communicators are open and none is idle");
            assertThat(first.sender().closed()).isNotDone();
        }
    }

    @Test
    void connectionThatIsNoLongerUsedIsClosedOnTheSideThatUsedIt() throws Exception {
        try (SimulatedNode sender = node(0, 8, Duration.ofMillis(200));
                SimulatedNode receiver = node(1, 8, Duration.ofMillis(200))) {
            MemoryRegion local = sender.share("local", 2 * MIB);
            receiver.share("remote", 2 * MIB);
            Pair pair = sender.connectTo(receiver);
            pair.sender().write(SimulatedNode.batch(pair, local, MIB), soon());

            assertThat(pair.sender().closed().get(10, TimeUnit.SECONDS)).hasMessageContaining("idle");
            assertThat(pair.receiver().closed()).isNotDone();
        }
    }

    private static Pair secondAfterIdleness(SimulatedNode sender, SimulatedNode two, Pair first, Pair third) {
        await().until(() -> idleMillis(first.sender()) > 1_050 && idleMillis(third.sender()) > 1_050);
        return sender.connectTo(two);
    }

    private static long idleMillis(Connection connection) {
        return ((HcclConnection) connection).idleNanos() / 1_000_000;
    }

    private static SimulatedNode node(int device, int max, Duration idleAfter) {
        return SimulatedNode.on(device, MemoryKind.HOST, max, idleAfter);
    }
}
