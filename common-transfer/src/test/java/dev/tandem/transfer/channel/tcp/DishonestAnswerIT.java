package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A receiver that lets a sender in and then does not keep its side, and what a sender makes of it. */
@Timeout(60)
class DishonestAnswerIT {

    private static final int ANSWER_MAGIC = 0x54444D41;
    private static final int REGION_BYTES = 16 << 20;
    private static final Duration SHORT = Duration.ofMillis(300);

    private TcpTestNode sender;
    private MemoryRegion region;
    private RawPort port;

    @BeforeEach
    void open() {
        sender = TcpTestNode.onLoopback();
        region = sender.share("region", REGION_BYTES);
        port = RawPort.open();
    }

    @AfterEach
    void close() {
        port.close();
        sender.close();
    }

    private TransferBatch batch(long bytes) {
        var batch = new TransferBatch();
        batch.add(region, 0, new RemoteRegion("there", 0, 0, REGION_BYTES), 0, bytes, 0);
        return batch;
    }

    private static Reason reason(Runnable step) {
        try {
            step.run();
            throw new AssertionError("nothing failed");
        } catch (ChannelException e) {
            return e.reason();
        }
    }

    private static void receiveBatch(RawPort.Met met, int payloadBytes) {
        met.served().receive(BatchHeader.BYTES + EntryTable.ENTRY_BYTES + payloadBytes);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, 1, 0, 0", // another magic
        "0x54444D41, 0, 2, 0, 0", // another batch's
        "0x54444D41, 3, 1, 0, 0", // unknown status
        "0x54444D41, 0, 1, 0, 1", // done, but one refused
        "0x54444D41, 1, 1, 0, 0", // refused, but none
        "0x54444D41, 1, 1, 0, 2", // more refused than there were
    })
    void wrongAnswerBreaksTheConnection(int magic, int status, long sequence, int where, int what) {
        try (RawPort.Met met = port.meet(sender.channel())) {
            FutureTask<Reason> written =
                    Pair.onThread(() -> reason(() -> met.sender().write(batch(100), Pair.soon())));
            receiveBatch(met, 100);

            met.answer(magic, status, sequence, where, what);

            assertThat(Pair.result(written)).isEqualTo(Reason.BROKEN);
            assertThat(met.sender().closed()).isDone();
        }
    }

    @Test
    void senderLearnsWhyThePeerHungUpWhileItStillSends() {
        try (RawPort.Met met = port.meet(sender.channel())) {
            FutureTask<String> written = Pair.onThread(() -> {
                try {
                    met.sender().write(batch(REGION_BYTES), Pair.soon());
                    return "written";
                } catch (ChannelException e) {
                    return e.message();
                }
            });
            receiveBatch(met, 0);

            met.answer(ANSWER_MAGIC, 2, 1, 0, Violation.REGION.code());
            met.served().close();

            assertThat(Pair.result(written)).contains(Violation.REGION.sentence());
            assertThat(Pair.cause(met.sender().closed()).reason()).isEqualTo(Reason.INVALID);
        }
    }

    @Test
    void answerThatNeverComesEndsAtTheDeadline() {
        try (RawPort.Met met = port.meet(sender.channel())) {
            assertThat(reason(() -> met.sender().probe(Deadline.after(SHORT)))).isEqualTo(Reason.TIMED_OUT);
            assertThat(Pair.cause(met.sender().closed()).reason()).isEqualTo(Reason.TIMED_OUT);
            assertThat(met.served().ended()).isTrue();
            assertThat(met.reverse().ended()).isTrue();
        }
    }

    @Test
    void peerThatTakesNothingEndsTheWriteAtTheDeadline() {
        try (RawPort.Met met = port.meet(sender.channel())) {
            assertThat(reason(() -> met.sender().write(batch(REGION_BYTES), Deadline.after(SHORT))))
                    .isEqualTo(Reason.TIMED_OUT);
        }
    }

    @Test
    void whoWaitsForASocketKeepsItsDeadline() {
        try (RawPort.Met met = port.meet(sender.channel())) {
            FutureTask<Reason> first =
                    Pair.onThread(() -> reason(() -> met.sender().write(batch(100), Pair.soon())));
            receiveBatch(met, 100);

            assertThat(reason(() -> met.sender().write(batch(100), Deadline.after(SHORT))))
                    .isEqualTo(Reason.TIMED_OUT);

            assertThat(Pair.result(first)).isEqualTo(Reason.TIMED_OUT);
        }
    }

    @Test
    void busySocketsThatMoveBytesProveTheConnection() throws Exception {
        var stop = new CountDownLatch(1);
        long bytes = 64 << 20;
        MemoryRegion large = sender.share("large", bytes);
        var batch = new TransferBatch();
        batch.add(large, 0, new RemoteRegion("there", 0, 0, bytes), 0, bytes, 0);
        try (RawPort.Met met = port.meet(sender.channel())) {
            FutureTask<Reason> write =
                    Pair.onThread(() -> reason(() -> met.sender().write(batch, Pair.soon())));
            receiveBatch(met, 0);
            FutureTask<Boolean> trickle = Pair.onThread(() -> {
                do {
                    met.served().receive(32 << 10);
                } while (!stop.await(1, TimeUnit.MILLISECONDS));
                return true;
            });

            met.sender().probe(Deadline.after(SHORT));

            assertThat(met.sender().closed()).isNotDone();
            stop.countDown();
            assertThat(Pair.result(trickle)).isTrue();
            met.sender().close();
            assertThat(Pair.result(write)).isEqualTo(Reason.CLOSED);
        }
    }

    @Test
    void endOfAnIdleSocketIsNoticedWhoeverDrivesIt() {
        for (boolean servedEnds : new boolean[] {true, false}) {
            try (RawPort.Met met = port.meet(sender.channel())) {
                (servedEnds ? met.served() : met.reverse()).close();

                assertThat(Pair.cause(met.sender().closed()).reason()).isEqualTo(Reason.BROKEN);
                assertThat((servedEnds ? met.reverse() : met.served()).ended()).isTrue();
            }
        }
    }

    @Test
    void resetOfAnIdleSocketIsNoticedWhoeverDrivesIt() {
        for (boolean servedEnds : new boolean[] {true, false}) {
            try (RawPort.Met met = port.meet(sender.channel())) {
                (servedEnds ? met.served() : met.reverse()).reset();

                assertThat(Pair.cause(met.sender().closed()).reason()).isEqualTo(Reason.BROKEN);
            }
        }
    }

    @Test
    void speakingOutOfTurnEndsTheConnection() {
        try (RawPort.Met met = port.meet(sender.channel())) {
            met.served().send(new byte[] {1});

            assertThat(Pair.cause(met.sender().closed()).reason()).isEqualTo(Reason.BROKEN);
        }
    }

    @Test
    void interruptedTransferEndsTheConnection() {
        try (RawPort.Met met = port.meet(sender.channel())) {
            var thread = new Thread[1];
            FutureTask<Boolean> written = Pair.onThread(() -> {
                thread[0] = Thread.currentThread();
                reason(() -> met.sender().write(batch(100), Pair.soon()));
                return Thread.currentThread().isInterrupted();
            });
            receiveBatch(met, 100);

            thread[0].interrupt();

            assertThat(Pair.result(written)).isTrue();
            assertThat(Pair.cause(met.sender().closed()).reason()).isEqualTo(Reason.BROKEN);
        }
    }

    @Test
    void portThatNeverAdmitsEndsConnectAtTheDeadline() {
        assertThat(reason(() ->
                        sender.channel().connect("silent", port.meta(), MemoryGuard.CLOSED, Deadline.after(SHORT))))
                .isEqualTo(Reason.TIMED_OUT);
    }

    @Test
    void portThatSaysNoFailsConnect() {
        FutureTask<Boolean> refused = Pair.onThread(() -> {
            port.accept().send((byte) 0);
            return true;
        });

        assertThat(reason(() -> sender.channel().connect("no", port.meta(), MemoryGuard.CLOSED, Pair.soon())))
                .isEqualTo(Reason.BROKEN);
        assertThat(Pair.result(refused)).isTrue();
    }

    @Test
    void closingTheChannelEndsAConnectUnderWay() {
        FutureTask<Reason> connecting = Pair.onThread(
                () -> reason(() -> sender.channel().connect("cut off", port.meta(), MemoryGuard.CLOSED, Pair.soon())));
        RawSocket dialled = port.accept();
        assertThat(dialled.receive(Hello.BYTES).remaining()).isEqualTo(Hello.BYTES);

        sender.channel().close();

        assertThat(Pair.result(connecting)).isIn(Reason.BROKEN, Reason.CLOSED);
        assertThat(dialled.ended()).isTrue();
    }

    @Test
    void offerThatAsksForMoreSocketsThanWereGreetedIsInvalid() {
        byte[] greedy = new OfferMeta("127.0.0.1", 1, 3, 16, Tag.random()).toBytes();

        assertThat(reason(() -> sender.channel().connect("greedy", greedy, MemoryGuard.CLOSED, Pair.soon())))
                .isEqualTo(Reason.INVALID);
    }

    @Test
    void batchLargerThanThePeerTakesIsRefusedHere() {
        try (RawPort.Met met = port.meet(sender.channel())) {
            var batch = new TransferBatch();
            for (int i = 0; i < 17; i++) {
                batch.add(region, i, new RemoteRegion("there", 0, 0, REGION_BYTES), i, 1, 0);
            }

            assertThat(reason(() -> met.sender().write(batch, Pair.soon()))).isEqualTo(Reason.REFUSED);

            assertThat(met.sender().closed()).isNotDone();
        }
    }

    @Test
    void unregisteredMemoryIsRefusedBeforeAnythingIsSent() {
        try (RawPort.Met met = port.meet(sender.channel());
                TcpTestNode other = TcpTestNode.onLoopback()) {
            MemoryRegion foreign = other.share("foreign", 1 << 20);
            var batch = new TransferBatch();
            batch.add(foreign, 0, new RemoteRegion("there", 0, 0, REGION_BYTES), 0, 1, 0);

            assertThatThrownBy(() -> met.sender().write(batch, Pair.soon()))
                    .isInstanceOf(IllegalArgumentException.class);

            assertThat(met.sender().closed()).isNotDone();
        }
    }

    @Test
    void refusedReadStillPutsTheOthersInPlace() {
        try (RawPort.Met met = port.meet(sender.channel())) {
            var batch = new TransferBatch();
            for (int i = 0; i < 3; i++) {
                batch.add(region, 4L * i, new RemoteRegion("there", 0, 0, REGION_BYTES), 0, 4, 0);
            }
            FutureTask<Reason> read =
                    Pair.onThread(() -> reason(() -> met.sender().read(batch, Pair.soon())));
            met.served().receive(BatchHeader.BYTES + 3 * EntryTable.ENTRY_BYTES);

            met.answer(ANSWER_MAGIC, 1, 1, 1, 1);
            met.served().send(ByteBuffer.wrap(new byte[] {0b010, 1, 1, 1, 1, 3, 3, 3, 3}));

            assertThat(Pair.result(read)).isEqualTo(Reason.REFUSED);
            assertThat(sender.get(region, 0, 12)).containsExactly(1, 1, 1, 1, 0, 0, 0, 0, 3, 3, 3, 3);
        }
    }
}
