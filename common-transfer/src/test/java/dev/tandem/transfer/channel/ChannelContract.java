package dev.tandem.transfer.channel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException.Reason;

import static dev.tandem.transfer.channel.Pair.cause;
import static dev.tandem.transfer.channel.Pair.onThread;
import static dev.tandem.transfer.channel.Pair.result;
import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What every fabric promises, whichever it is. A fabric's test extends this class, names its nodes, and turns off what
 * its kind of fabric cannot promise. All in one file, so that a fabric passes all of it or says what it leaves out.
 */
@Timeout(60)
public abstract class ChannelContract {

    protected static final int REGION_BYTES = 4 << 20;

    private static final Duration SHORT = Duration.ofMillis(300);

    private final List<FabricNode> nodes = new ArrayList<>();
    protected FabricNode sender;
    protected FabricNode receiver;
    protected MemoryRegion from;
    protected MemoryRegion to;
    protected WatchfulGuard guard;

    /** Which end of a connection. */
    public enum End {
        SENDER,
        RECEIVER;

        Connection of(Pair pair) {
            return this == SENDER ? pair.sender() : pair.receiver();
        }

        Connection other(Pair pair) {
            return this == SENDER ? pair.receiver() : pair.sender();
        }
    }

    /**
     * Makes a node with no region yet; the contract closes it.
     *
     * @param number 0 receives, 1 to 3 send
     */
    protected abstract FabricNode node(int number);

    /** Whether an end notices, without a transfer of its own, that the other is closed. */
    protected boolean noticesTheEnd() {
        return true;
    }

    /** How many threads and descriptors may come and go by themselves. */
    protected int resourceSlack() {
        return 8;
    }

    @BeforeEach
    void openNodes() {
        receiver = opened(0);
        sender = opened(1);
        from = sender.share("from-" + Pair.name(), REGION_BYTES);
        to = receiver.share("to-" + Pair.name(), REGION_BYTES);
        guard = new WatchfulGuard();
    }

    @AfterEach
    void closeNodes() {
        guard.free();
        nodes.forEach(FabricNode::close);
    }

    private FabricNode opened(int number) {
        FabricNode node = node(number);
        nodes.add(node);
        return node;
    }

    protected final Pair pair() {
        return Pair.of(sender.channel(), receiver.channel(), guard);
    }

    /** One entry, from the sender's region to the same place in the receiver's. */
    protected final TransferBatch batch(Pair pair, long at, long bytes, long token) {
        var batch = new TransferBatch();
        batch.add(from, at, pair.receivers().getFirst(), at, bytes, token);
        return batch;
    }

    /** Fills a region with noise. */
    protected static byte[] noise(FabricNode node, MemoryRegion region, long seed) {
        var bytes = new byte[Math.toIntExact(region.bytes())];
        new SplittableRandom(seed).nextBytes(bytes);
        node.put(region, 0, bytes);
        return bytes;
    }

    protected static void assertReason(Runnable step, Reason... reasons) {
        assertThatThrownBy(step::run)
                .isInstanceOfSatisfying(
                        ChannelException.class,
                        thrown -> assertThat(thrown.reason()).as("%s", thrown).isIn((Object[]) reasons));
    }

    // Meeting

    @Test
    void acceptMayBeCalledFirst() {
        String name = Pair.name();
        Offer offer = receiver.channel().offer(name, sender.channel().greeting(), guard);
        FutureTask<Connection> accepted = onThread(() -> offer.accept(soon()));

        Connection connected = sender.channel().connect(name, offer.meta(), guard, soon());

        assertThat(connected.closed()).isNotDone();
        assertThat(result(accepted).closed()).isNotDone();
    }

    @Test
    void connectMayBeCalledFirst() {
        String name = Pair.name();
        Offer offer = receiver.channel().offer(name, sender.channel().greeting(), guard);
        FutureTask<Connection> connected = onThread(() -> sender.channel().connect(name, offer.meta(), guard, soon()));

        Connection accepted = offer.accept(soon());

        assertThat(accepted.closed()).isNotDone();
        assertThat(result(connected).closed()).isNotDone();
    }

    @Test
    void metasKeepToTheirLimits() {
        Offer offer = receiver.channel().offer(Pair.name(), sender.channel().greeting(), guard);

        assertThat(sender.channel().greeting()).hasSizeLessThanOrEqualTo(4 << 10);
        assertThat(offer.meta()).hasSizeLessThanOrEqualTo(16 << 10);
        assertThat(receiver.channel().exportMemory()).hasSizeLessThanOrEqualTo(64 << 10);
    }

    @Test
    void importedRegionsAreTheOtherSidesInItsOrder() {
        MemoryRegion second = receiver.share("second-" + Pair.name(), 2 << 20);

        Pair pair = pair();

        assertThat(pair.receivers())
                .extracting(RemoteRegion::id, RemoteRegion::index, RemoteRegion::bytes)
                .containsExactly(tuple(to.id(), 0, to.bytes()), tuple(second.id(), 1, second.bytes()));
    }

    @Test
    void acceptWithoutAPeerTimesOut() {
        Offer offer = receiver.channel().offer(Pair.name(), sender.channel().greeting(), guard);

        assertReason(() -> offer.accept(Deadline.after(SHORT)), Reason.TIMED_OUT);
    }

    @Test
    void offerThatTimedOutAdmitsNobody() {
        String name = Pair.name();
        Offer offer = receiver.channel().offer(name, sender.channel().greeting(), guard);
        assertReason(() -> offer.accept(Deadline.after(SHORT)), Reason.TIMED_OUT);

        assertReason(
                () -> sender.channel().connect(name, offer.meta(), guard, Deadline.after(SHORT)),
                Reason.TIMED_OUT,
                Reason.BROKEN);
    }

    @Test
    void closedOfferEndsAccept() {
        Offer offer = receiver.channel().offer(Pair.name(), sender.channel().greeting(), guard);
        var thread = new Thread[1];
        FutureTask<Reason> ended = onThread(() -> {
            thread[0] = Thread.currentThread();
            try {
                offer.accept(soon());
                throw new AssertionError("accepted");
            } catch (ChannelException e) {
                return e.reason();
            }
        });
        await().until(() -> thread[0] != null && thread[0].getState() == Thread.State.TIMED_WAITING);

        offer.close();
        offer.close();

        assertThat(result(ended)).isEqualTo(Reason.CLOSED);
    }

    @Test
    void closedOfferIsNotAccepted() {
        Offer offer = receiver.channel().offer(Pair.name(), sender.channel().greeting(), guard);

        offer.close();

        assertReason(() -> offer.accept(soon()), Reason.CLOSED);
    }

    @Test
    void connectionOutlivesItsOffer() {
        String name = Pair.name();
        Offer offer = receiver.channel().offer(name, sender.channel().greeting(), guard);
        FutureTask<Connection> accepted = onThread(() -> offer.accept(soon()));
        Connection connected = sender.channel().connect(name, offer.meta(), guard, soon());
        Connection accepting = result(accepted);

        offer.close();

        connected.probe(soon());
        assertThat(accepting.closed()).isNotDone();
    }

    @Test
    void connectToADeadNodeFailsByTheDeadline() {
        FabricNode dead = opened(2);
        String name = Pair.name();
        byte[] meta =
                dead.channel().offer(name, sender.channel().greeting(), guard).meta();
        dead.channel().close();
        Deadline generous = Deadline.after(Duration.ofSeconds(5));

        assertReason(
                () -> sender.channel().connect(name, meta, guard, Deadline.after(SHORT)),
                Reason.TIMED_OUT,
                Reason.BROKEN);

        assertThat(generous.hasPassed()).isFalse();
    }

    @Test
    void garbageIsNoGreeting() {
        assertReason(() -> receiver.channel().offer(Pair.name(), new byte[] {1, 2, 3}, guard), Reason.INVALID);
    }

    @Test
    void garbageIsNoOffer() {
        for (byte[] garbage : garbageLike(receiver.channel()
                .offer(Pair.name(), sender.channel().greeting(), guard)
                .meta())) {
            assertReason(() -> sender.channel().connect(Pair.name(), garbage, guard, soon()), Reason.INVALID);
        }
    }

    @Test
    void garbageHandlesLeaveTheConnectionOpen() {
        Pair pair = pair();

        for (byte[] garbage : garbageLike(receiver.channel().exportMemory())) {
            assertReason(() -> pair.sender().importMemory(garbage), Reason.INVALID);
        }

        pair.sender().probe(soon());
    }

    private static List<byte[]> garbageLike(byte[] valid) {
        byte[] different = valid.clone();
        different[0] ^= 0x55;
        return List.of(
                new byte[0],
                new byte[] {7},
                Arrays.copyOf(valid, valid.length - 1),
                Arrays.copyOf(valid, valid.length / 2),
                Arrays.copyOf(valid, valid.length + 1),
                different);
    }

    // Moving

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 63, 4095, 4096, 4097, 65_537, 524_288, 524_289, 1_048_577, REGION_BYTES})
    void writtenBytesLandAndNothingElseChanges(int bytes) {
        byte[] sent = noise(sender, from, 1);
        byte[] expected = noise(receiver, to, 2);
        int at = (REGION_BYTES - bytes) / 2;
        Pair pair = pair();

        pair.sender().write(batch(pair, at, bytes, 0), soon());

        System.arraycopy(sent, at, expected, at, bytes);
        assertThat(receiver.get(to)).isEqualTo(expected);
        assertThat(sender.get(from)).isEqualTo(sent);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4097, 524_289, REGION_BYTES})
    void readBytesArriveAndNothingElseChanges(int bytes) {
        byte[] expected = noise(sender, from, 1);
        byte[] there = noise(receiver, to, 2);
        int at = (REGION_BYTES - bytes) / 2;
        Pair pair = pair();

        pair.sender().read(batch(pair, at, bytes, 0), soon());

        System.arraycopy(there, at, expected, at, bytes);
        assertThat(sender.get(from)).isEqualTo(expected);
        assertThat(receiver.get(to)).isEqualTo(there);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void manyEntriesLandEachInItsPlace(long seed) {
        byte[] sent = noise(sender, from, 1);
        byte[] expected = noise(receiver, to, 2);
        Pair pair = pair();
        TransferBatch batch = scattered(pair, new SplittableRandom(seed), sent, expected);

        pair.sender().write(batch, soon());

        assertThat(receiver.get(to)).as("seed %d", seed).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22})
    void manyEntriesAreReadEachIntoItsPlace(long seed) {
        byte[] expected = noise(sender, from, 1);
        byte[] there = noise(receiver, to, 2);
        Pair pair = pair();
        var swapped = new TransferBatch();
        TransferBatch batch = scattered(pair, new SplittableRandom(seed), expected, there.clone());
        for (int entry = 0; entry < batch.size(); entry++) {
            int bytes = Math.toIntExact(batch.bytes(entry));
            int at = Math.toIntExact(batch.remoteOffset(entry));
            swapped.add(from, at, batch.remote(entry), batch.localOffset(entry), bytes, 0);
            System.arraycopy(there, Math.toIntExact(batch.localOffset(entry)), expected, at, bytes);
        }

        pair.sender().read(swapped, soon());

        assertThat(sender.get(from)).as("seed %d", seed).isEqualTo(expected);
    }

    /** Entries whose remote pieces do not overlap; {@code expected} becomes what the receiver should then hold. */
    private TransferBatch scattered(Pair pair, SplittableRandom random, byte[] sent, byte[] expected) {
        var batch = new TransferBatch();
        for (int at = random.nextInt(100); at < REGION_BYTES; ) {
            int bytes = Math.min(random.nextInt(1, 1 << random.nextInt(1, 17)), REGION_BYTES - at);
            int localAt = random.nextInt(REGION_BYTES - bytes + 1);
            batch.add(from, localAt, pair.receivers().getFirst(), at, bytes, 0);
            System.arraycopy(sent, localAt, expected, at, bytes);
            at += bytes + random.nextInt(3) * random.nextInt(1000);
        }
        return batch;
    }

    @Test
    void bothEndsTransfer() {
        byte[] sent = noise(receiver, to, 2);
        noise(sender, from, 1);
        Pair pair = pair();
        var batch = new TransferBatch();
        batch.add(to, 5, pair.senders().getFirst(), 77, 100_000, 0);

        pair.receiver().write(batch, soon());

        assertThat(sender.get(from, 77, 100_000)).isEqualTo(Arrays.copyOfRange(sent, 5, 100_005));
    }

    @Test
    void batchesOfOneConnectionRunSideBySide() {
        byte[] sent = noise(sender, from, 1);
        noise(receiver, to, 2);
        Pair pair = pair();
        int writers = 4;
        int share = REGION_BYTES / writers;
        int piece = share / 16;

        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            int base = writer * share;
            tasks.add(onThread(() -> {
                for (int at = base; at < base + share; at += piece) {
                    pair.sender().write(batch(pair, at, piece, 0), soon());
                }
                return base;
            }));
        }
        tasks.forEach(Pair::result);

        assertThat(receiver.get(to)).isEqualTo(sent);
    }

    @Test
    void peersDoNotDisturbEachOther() {
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            FabricNode peer = number == 1 ? sender : opened(number);
            MemoryRegion own = number == 1 ? from : peer.share("own-" + Pair.name(), REGION_BYTES);
            int share = REGION_BYTES / 4;
            int base = (number - 1) * share;
            byte[] sent = noise(peer, own, number);
            tasks.add(onThread(() -> {
                Pair pair = Pair.of(peer.channel(), receiver.channel(), guard);
                for (int round = 0; round < 5; round++) {
                    var batch = new TransferBatch();
                    batch.add(own, base, pair.receivers().getFirst(), base, share, 0);
                    pair.sender().write(batch, soon());
                }
                return Arrays.equals(receiver.get(to, base, share), Arrays.copyOfRange(sent, base, base + share));
            }));
        }

        assertThat(tasks).allSatisfy(task -> assertThat(result(task)).isTrue());
    }

    @Test
    void emptyBatchIsNothing() {
        Pair pair = pair();

        pair.sender().write(new TransferBatch(), soon());
        pair.sender().read(new TransferBatch(), soon());

        assertThat(pair.sender().closed()).isNotDone();
    }

    // Guarding

    private void assumeGuarded() {
        assumeTrue(receiver.channel().kind().guarded());
    }

    @Test
    void refusedEntryDoesNotLandButTheOthersDo() {
        assumeGuarded();
        byte[] sent = noise(sender, from, 1);
        byte[] expected = noise(receiver, to, 2);
        Pair pair = pair();
        var batch = new TransferBatch();
        batch.add(from, 0, pair.receivers().getFirst(), 0, 100_000, 1);
        batch.add(from, 200_000, pair.receivers().getFirst(), 200_000, 300_000, WatchfulGuard.STALE);
        batch.add(from, 700_000, pair.receivers().getFirst(), 700_000, 1, 2);

        assertReason(() -> pair.sender().write(batch, soon()), Reason.REFUSED);

        System.arraycopy(sent, 0, expected, 0, 100_000);
        expected[700_000] = sent[700_000];
        assertThat(receiver.get(to)).isEqualTo(expected);
    }

    @Test
    void connectionWorksOnAfterARefusal() {
        assumeGuarded();
        byte[] sent = noise(sender, from, 1);
        Pair pair = pair();
        assertReason(
                () -> pair.sender().write(batch(pair, 0, REGION_BYTES, WatchfulGuard.STALE), soon()), Reason.REFUSED);
        assertReason(
                () -> pair.sender().read(batch(pair, 0, REGION_BYTES, WatchfulGuard.STALE), soon()), Reason.REFUSED);

        pair.sender().write(batch(pair, 0, REGION_BYTES, 1), soon());

        assertThat(receiver.get(to)).isEqualTo(sent);
        assertThat(pair.sender().closed()).isNotDone();
    }

    @Test
    void refusedEntryIsNotReadButTheOthersAre() {
        assumeGuarded();
        byte[] expected = noise(sender, from, 1);
        byte[] there = noise(receiver, to, 2);
        Pair pair = pair();
        var batch = new TransferBatch();
        batch.add(from, 0, pair.receivers().getFirst(), 0, 100_000, WatchfulGuard.STALE);
        batch.add(from, 200_000, pair.receivers().getFirst(), 200_000, 300_000, 1);

        assertReason(() -> pair.sender().read(batch, soon()), Reason.REFUSED);

        System.arraycopy(there, 200_000, expected, 200_000, 300_000);
        assertThat(sender.get(from)).isEqualTo(expected);
    }

    @Test
    void guardIsAskedForEachEntryAndToldOfItsEnd() {
        assumeGuarded();
        Pair pair = pair();
        var batch = new TransferBatch();
        batch.add(from, 0, pair.receivers().getFirst(), 10, 20, 30);
        batch.add(from, 0, pair.receivers().getFirst(), 40, 50, WatchfulGuard.STALE);
        batch.add(from, 0, pair.receivers().getFirst(), 100, 60, 70);

        assertReason(() -> pair.sender().write(batch, soon()), Reason.REFUSED);

        assertThat(guard.asked())
                .containsExactly(to.id() + " 10 20 30", to.id() + " 40 50 666", to.id() + " 100 60 70");
        assertThat(guard.admitted()).isEqualTo(2);
        assertThat(guard.ended()).isEqualTo(2);
    }

    @Test
    void transferThatIsHeldEndsAtItsDeadline() {
        assumeGuarded();
        Pair pair = pair();
        guard.hold();

        assertReason(
                () -> pair.sender().write(batch(pair, 0, REGION_BYTES, 1), Deadline.after(SHORT)), Reason.TIMED_OUT);

        guard.free();
        assertThat(cause(pair.sender().closed()).reason()).isEqualTo(Reason.TIMED_OUT);
        assertThat(cause(pair.receiver().closed()).reason()).isEqualTo(Reason.BROKEN);
    }

    // Ending

    @ParameterizedTest
    @EnumSource
    void closingOneEndClosesTheOther(End end) {
        Pair pair = pair();

        end.of(pair).close();
        end.of(pair).close();

        assertThat(cause(end.of(pair).closed()).reason()).isEqualTo(Reason.CLOSED);
        assumeTrue(noticesTheEnd());
        assertThat(cause(end.other(pair).closed()).reason()).isEqualTo(Reason.BROKEN);
    }

    @ParameterizedTest
    @EnumSource
    void closingOneEndAfterUseClosesTheOther(End end) {
        Pair pair = pair();
        pair.sender().write(batch(pair, 0, REGION_BYTES, 1), soon());

        end.of(pair).close();

        assumeTrue(noticesTheEnd());
        assertThat(cause(end.other(pair).closed()).reason()).isEqualTo(Reason.BROKEN);
    }

    @Test
    void closedEndTransfersNothing() {
        Pair pair = pair();
        byte[] before = noise(receiver, to, 2);

        pair.sender().close();

        assertReason(() -> pair.sender().write(batch(pair, 0, 100, 1), soon()), Reason.CLOSED);
        assertReason(() -> pair.sender().read(batch(pair, 0, 100, 1), soon()), Reason.CLOSED);
        assertReason(() -> pair.sender().probe(soon()), Reason.CLOSED);
        assertThat(receiver.get(to)).isEqualTo(before);
    }

    @Test
    void writeToAClosedEndFails() {
        Pair pair = pair();
        byte[] before = noise(receiver, to, 2);
        assertThat(pair.receiver().fence(soon())).isTrue();

        assertReason(
                () -> pair.sender().write(batch(pair, 0, REGION_BYTES, 1), Deadline.after(Duration.ofSeconds(2))),
                Reason.BROKEN,
                Reason.TIMED_OUT);

        assertThat(receiver.get(to)).isEqualTo(before);
    }

    @Test
    void fenceIsProvenOnBothEnds() {
        Pair pair = pair();
        pair.sender().write(batch(pair, 0, 100_000, 1), soon());

        assertThat(pair.receiver().fence(soon())).isTrue();
        assertThat(pair.sender().fence(soon())).isTrue();
        assertThat(pair.sender().fence(soon())).isTrue();
    }

    @Test
    void fenceWaitsForWhoeverIsInsideAPayload() {
        assumeGuarded();
        noise(sender, from, 1);
        byte[] before = noise(receiver, to, 2);
        Pair pair = pair();
        guard.hold();
        FutureTask<Reason> written = onThread(() -> reasonOf(pair, batch(pair, 0, REGION_BYTES, 1)));
        assertThat(guard.reached()).isTrue();

        // When
        boolean early = pair.receiver().fence(Deadline.after(SHORT));
        guard.free();
        boolean late = pair.receiver().fence(soon());

        // Then
        assertThat(early).isFalse();
        assertThat(late).isTrue();
        assertThat(guard.ended()).isEqualTo(guard.admitted());
        assertThat(result(written)).isIn(Reason.BROKEN, Reason.TIMED_OUT);
        assertThat(receiver.get(to)).isEqualTo(before);
    }

    private Reason reasonOf(Pair pair, TransferBatch batch) {
        try {
            pair.sender().write(batch, soon());
            throw new AssertionError("written");
        } catch (ChannelException e) {
            return e.reason();
        }
    }

    @Test
    void nothingLandsAfterTheFence() {
        byte[] sent = noise(sender, from, 1);
        noise(receiver, to, 2);
        Pair pair = pair();
        List<FutureTask<Boolean>> writers = new ArrayList<>();
        for (int writer = 0; writer < 2; writer++) {
            writers.add(onThread(() -> writeUntilItFails(pair)));
        }
        await().until(() -> Arrays.equals(receiver.get(to, 0, 1024), Arrays.copyOf(sent, 1024)));

        // When
        assertThat(pair.receiver().fence(soon())).isTrue();

        // Then
        byte[] fenced = noise(receiver, to, 3);
        writers.forEach(Pair::result);
        assertThat(receiver.get(to)).isEqualTo(fenced);
    }

    private boolean writeUntilItFails(Pair pair) {
        TransferBatch batch = batch(pair, 0, REGION_BYTES, 1);
        Deadline end = soon();
        while (!end.hasPassed()) {
            try {
                pair.sender().write(batch, Deadline.after(Duration.ofSeconds(2)));
            } catch (ChannelException e) {
                return true;
            }
        }
        return false;
    }

    @Test
    void fenceCoversWhatThisSideReads() {
        assumeGuarded();
        noise(sender, from, 1);
        noise(receiver, to, 2);
        Pair pair = pair();
        guard.hold();
        FutureTask<Boolean> read = onThread(() -> {
            assertReason(
                    () -> pair.sender().read(batch(pair, 0, REGION_BYTES, 1), soon()), Reason.CLOSED, Reason.BROKEN);
            return true;
        });
        assertThat(guard.reached()).isTrue();

        assertThat(pair.sender().fence(soon())).isTrue();

        byte[] fenced = noise(sender, from, 3);
        guard.free();
        assertThat(result(read)).isTrue();
        assertThat(pair.receiver().fence(soon())).isTrue();
        assertThat(sender.get(from)).isEqualTo(fenced);
    }

    @Test
    void probeProvesBothWays() {
        Pair pair = pair();

        pair.sender().probe(soon());
        pair.receiver().probe(soon());

        assertThat(guard.asked()).isEmpty();
    }

    @Test
    void probeFailsOnceTheOtherSideDied() {
        Pair pair = pair();

        receiver.channel().close();

        assertReason(() -> pair.sender().probe(Deadline.after(Duration.ofSeconds(2))), Reason.BROKEN, Reason.TIMED_OUT);
        assertThat(pair.sender().closed()).isDone();
    }

    @Test
    void nextGenerationWorksOnceTheOldIsFenced() {
        byte[] sent = noise(sender, from, 1);
        Pair old = pair();
        assertThat(old.receiver().fence(soon())).isTrue();

        Pair next = pair();
        next.sender().write(batch(next, 0, REGION_BYTES, 1), soon());

        assertThat(receiver.get(to)).isEqualTo(sent);
        assertReason(
                () -> old.sender().write(batch(old, 0, 1, 1), Deadline.after(Duration.ofSeconds(2))),
                Reason.BROKEN,
                Reason.TIMED_OUT);
        assertThat(next.sender().closed()).isNotDone();
    }

    @Test
    void closedChannelLeavesNothingOpen() {
        Pair pair = pair();
        Offer offer = receiver.channel().offer(Pair.name(), sender.channel().greeting(), guard);

        receiver.channel().close();
        receiver.channel().close();

        assertThat(cause(pair.receiver().closed()).reason()).isEqualTo(Reason.CLOSED);
        assertReason(() -> offer.accept(soon()), Reason.CLOSED);
        assertReason(() -> receiver.channel().offer("late", sender.channel().greeting(), guard), Reason.CLOSED);
    }

    @Test
    void nothingIsLeftOfManyConnections() {
        for (int warm = 0; warm < 5; warm++) {
            connectAndClose();
        }
        ProcessResources before = ProcessResources.now();

        for (int round = 0; round < 50; round++) {
            connectAndClose();
        }

        await().atMost(Pair.SOON)
                .untilAsserted(() -> assertThat(ProcessResources.now())
                        .as("more than %s", before)
                        .matches(now -> now.within(before, resourceSlack())));
    }

    private void connectAndClose() {
        Pair pair = pair();
        pair.sender().write(batch(pair, 0, 4096, 1), soon());
        assertThat(pair.sender().fence(soon())).isTrue();
        assertThat(pair.receiver().fence(soon())).isTrue();
    }
}
