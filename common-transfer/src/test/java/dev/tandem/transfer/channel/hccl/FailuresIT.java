package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

import static dev.tandem.transfer.channel.Pair.onThread;
import static dev.tandem.transfer.channel.Pair.result;
import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class FailuresIT {

    private static final long MIB = 1L << 20;
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(2);

    private final Simulator simulator = new Simulator();
    private final SimulatedNode sender = SimulatedNode.on(0, MemoryKind.DEVICE);
    private final SimulatedNode receiver = SimulatedNode.on(1, MemoryKind.DEVICE);
    private final MemoryRegion from = sender.share("from", 4 * MIB);
    private final MemoryRegion to = receiver.share("to", 4 * MIB);

    @BeforeEach
    void fillBuffers() {
        sender.fill(from, 7);
        receiver.fill(to, 1);
    }

    @AfterEach
    void nothingIsLeftOrMisused() {
        sender.close();
        receiver.close();
        simulator.assertCleanEnd();
    }

    @Test
    void prepareThatFailsIsAnErrorWithCodeAndNameAndTheNameIsFreeAgain() {
        simulator.fail("HcclCommPrepare", 1, 11);
        Offer offer = offer("pair-prepare");

        assertThatThrownBy(() -> offer.accept(soon()))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BROKEN))
                .hasMessageContaining("HcclCommPrepare: 11 (TCP_CONNECT");
        Offer again = offer("pair-prepare");
        FutureTask<Connection> accepted = onThread(() -> again.accept(soon()));
        sender.channel().connect("pair-prepare", again.meta(), MemoryGuard.CLOSED, soon());
        assertThat(result(accepted).closed()).isNotDone();
    }

    @Test
    void acceptEndsAtItsDeadlineThoughPrepareStaysInTheLibrary() {
        simulator.delay("HcclCommPrepare", 2_000);
        Offer offer = offer("pair-slow");
        long begin = System.nanoTime();

        assertThatThrownBy(() -> offer.accept(Deadline.after(SHORT)))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TIMED_OUT));
        assertThat(millisSince(begin)).isBetween(290L, 1_800L);
    }

    @Test
    void peerThatNeverComesIsATimeOut() {
        assertThatThrownBy(() -> offer("pair-alone").accept(Deadline.after(SHORT)))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TIMED_OUT));
    }

    @Test
    void closingAnOfferEndsItsAcceptAtOnce() {
        Offer offer = offer("pair-closed");
        FutureTask<Connection> accepted = onThread(() -> offer.accept(soon()));
        long begin = System.nanoTime();

        offer.close();

        assertThatThrownBy(() -> accepted.get(5, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
        assertThat(millisSince(begin)).isLessThan(3_000);
    }

    @Test
    void putThatIsRefusedByTheNetworkKillsItsConnectionOnly() throws Exception {
        Pair broken = sender.connectTo(receiver);
        Pair other = sender.connectTo(receiver);
        simulator.fail("HcclBatchPut", 1, 19);

        assertThatThrownBy(() -> broken.sender().write(SimulatedNode.batch(broken, from, MIB), soon()))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BROKEN))
                .hasMessageContaining("HcclBatchPut: 19 (NETWORK");

        assertThat(broken.sender().closed().get(5, TimeUnit.SECONDS)).hasMessageContaining("NETWORK");
        assertThatThrownBy(() -> broken.sender().write(SimulatedNode.batch(broken, from, MIB), soon()))
                .isInstanceOf(ChannelException.class);
        other.sender().write(SimulatedNode.batch(other, from, MIB), soon());
        receiver.assertFilled(to, 0, MIB, 7);
    }

    @Test
    void streamThatFailsKillsItsConnectionAndTheNextOneHasANewStream() {
        Pair broken = sender.connectTo(receiver);
        simulator.fail("copy", 1, 507_899);

        assertThatThrownBy(() -> broken.sender().write(SimulatedNode.batch(broken, from, MIB), soon()))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BROKEN))
                .hasMessageContaining("507899 (DRV_INTERNAL_ERROR");

        assertThat(broken.sender().fence(soon())).isTrue();
        Pair next = sender.connectTo(receiver);
        next.sender().write(SimulatedNode.batch(next, from, MIB), soon());
        receiver.assertFilled(to, 0, MIB, 7);
    }

    @Test
    void streamThatHangsIsATimeOutAndHoldsUpNobodyElse() {
        Pair hanging = sender.connectTo(receiver);
        Pair other = sender.connectTo(receiver);
        simulator.hangCopy(1);
        long begin = System.nanoTime();
        FutureTask<Boolean> hung = onThread(() -> {
            hanging.sender().write(SimulatedNode.batch(hanging, from, MIB), Deadline.after(LONG));
            return true;
        });
        await().until(() -> simulator.counter("puts") == 1);

        other.sender().write(SimulatedNode.batch(other, from, MIB), soon());

        assertThat(hung.isDone()).isFalse();
        receiver.assertFilled(to, 0, MIB, 7);
        assertThatThrownBy(() -> hung.get(5, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TIMED_OUT));
        assertThat(millisSince(begin)).isBetween(1_990L, 8_000L);
        assertThat(hanging.sender().fence(soon())).isTrue();
    }

    @Test
    void cutLinkIsFoundByAProbe() {
        Pair pair = sender.connectTo(receiver);
        pair.sender().probe(soon());
        assertThat(simulator.cutAll()).isPositive();

        assertThatThrownBy(() -> pair.sender().probe(soon()))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BROKEN));
        assertThat(pair.sender().closed()).succeedsWithin(Duration.ofSeconds(5));
    }

    @Test
    void regionOfAnotherConnectionIsNotWrittenTo() {
        Pair old = sender.connectTo(receiver);
        Pair current = sender.connectTo(receiver);
        TransferBatch batch = new TransferBatch();
        RemoteRegion stale =
                new RemoteRegion("earlier", 0, old.receivers().getFirst().address(), 4 * MIB);
        batch.add(from, 0, stale, 0, MIB, 0);

        assertThatThrownBy(() -> current.sender().write(batch, soon()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("region earlier is not of this connection");
        receiver.assertFilled(to, 0, 4 * MIB, 1);
        current.sender().write(SimulatedNode.batch(current, from, MIB), soon());
    }

    @Test
    void registryThatIsHeldTooLongIsATimeOut() {
        simulator.delay("HcclCommInitClusterInfoMemConfig", 800);
        FutureTask<Object> first = onThread(() -> failureOf(offer("pair-1")));
        FutureTask<Object> second = onThread(() -> failureOf(offer("pair-2")));

        assertThat(result(first)).isEqualTo(Reason.TIMED_OUT);
        assertThat(result(second)).isEqualTo(Reason.TIMED_OUT);
    }

    @Test
    void regionThatTheLibraryRefusesIsNamed() {
        MemoryRegion region = sender.memory().allocate("refused", 2 * MIB);
        simulator.fail("HcclRegisterGlobalMem", 1, 3);

        assertThatThrownBy(() -> sender.channel().register(region))
                .isInstanceOf(ChannelException.class)
                .hasMessageContaining("register region refused: HcclRegisterGlobalMem: 3 (MEMORY");
        sender.channel().register(region);
    }

    @Test
    void streamThatFailsAsTheRuntimeSaysItKillsItsConnection() {
        simulator.set("HCCL_SIM_STREAM_ERRORS", "acl");
        Pair pair = sender.connectTo(receiver);
        assertThat(simulator.cutAll()).isPositive();

        assertThatThrownBy(() -> pair.sender().write(SimulatedNode.batch(pair, from, MIB), soon()))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BROKEN));
    }

    private Object failureOf(Offer offer) {
        try {
            return offer.accept(Deadline.after(SHORT));
        } catch (ChannelException e) {
            return e.reason();
        }
    }

    private Offer offer(String name) {
        return receiver.channel().offer(name, sender.channel().greeting(), MemoryGuard.CLOSED);
    }

    private static long millisSince(long begin) {
        return (System.nanoTime() - begin) / 1_000_000;
    }
}
