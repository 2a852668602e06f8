package dev.tandem.transfer.channel.hccl;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Pair;

import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What goes wrong for good. Communicators that cannot be destroyed stay in the simulator for good, as they would in the library. */
class LostDeviceIT {

    private static final long MIB = 1L << 20;
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int LOST_HEARTBEAT = 507_010;

    private final Simulator simulator = new Simulator();

    @Test
    void lostDeviceFailsWhatNeedsItAndOtherDevicesGoOn() {
        try (SimulatedNode lost = SimulatedNode.on(0, MemoryKind.DEVICE);
                SimulatedNode sender = SimulatedNode.on(1, MemoryKind.DEVICE);
                SimulatedNode receiver = SimulatedNode.on(2, MemoryKind.DEVICE)) {
            MemoryRegion onLost = lost.share("on-lost", 2 * MIB);
            MemoryRegion from = sender.share("from", 2 * MIB);
            receiver.share("to", 2 * MIB);
            Pair dying = lost.connectTo(receiver);
            Pair living = sender.connectTo(receiver);

            simulator.loseDevice(0, LOST_HEARTBEAT);

            assertThatThrownBy(() -> dying.sender().write(SimulatedNode.batch(dying, onLost, MIB), soon()))
                    .isInstanceOfSatisfying(
                            ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BROKEN))
                    .hasMessageContaining("507010 (LOST_HEARTBEAT");
            assertThat(dying.sender().closed()).succeedsWithin(Duration.ofSeconds(5));
            byte[] offer = receiver.channel()
                    .offer("pair-lost", lost.channel().greeting(), MemoryGuard.CLOSED)
                    .meta();
            assertThatThrownBy(
                            () -> lost.channel().connect("pair-lost", offer, MemoryGuard.CLOSED, Deadline.after(SHORT)))
                    .isInstanceOf(ChannelException.class)
                    .hasMessageContaining("507010 (LOST_HEARTBEAT");
            living.sender().write(SimulatedNode.batch(living, from, MIB), soon());
            assertThat(dying.receiver().fence(soon())).isTrue();
        }
        simulator.assertNoMisuse();
    }

    @Test
    void deviceThatIsNotThereIsAnErrorAtTheStart() {
        assertThatThrownBy(() -> SimulatedNode.on(8, MemoryKind.DEVICE))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("hccl device 8: aclrtSetDevice(8): 107001 (INVALID_DEVICEID)");
    }

    @Test
    void communicatorThatCannotBeDestroyedIsNeverFencedAndItsMemoryNeverFreed() {
        long allocated = simulator.counter("device_allocations_alive");
        try (SimulatedNode sender = SimulatedNode.on(0, MemoryKind.DEVICE);
                SimulatedNode receiver = SimulatedNode.on(1, MemoryKind.DEVICE)) {
            sender.share("from", 2 * MIB);
            receiver.share("to", 2 * MIB);
            Pair pair = sender.connectTo(receiver);
            simulator.fail("HcclCommDestroy", 1, 4);

            assertThat(pair.receiver().fence(Deadline.after(SHORT))).isFalse();
            assertThat(pair.receiver().fence(Deadline.after(SHORT))).isFalse();
        }
        assertThat(simulator.counter("device_allocations_alive") - allocated).isEqualTo(2);
        simulator.assertNoMisuse();
    }
}
