package dev.tandem.transfer.handover;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.memory.Allocation;
import dev.tandem.transfer.memory.Lease;
import dev.tandem.transfer.peer.OutboundSession;
import dev.tandem.transfer.testing.ReceiverNode;
import dev.tandem.transfer.testing.ReceiverNode.Options;
import dev.tandem.transfer.testing.SenderNode;
import dev.tandem.transfer.wire.HandshakeRequest;
import dev.tandem.transfer.wire.MessageCodec;
import dev.tandem.transfer.wire.OpaqueBytes;
import dev.tandem.transfer.wire.RequestClient;
import dev.tandem.transfer.wire.RequestServer;
import dev.tandem.transfer.wire.Stamp;
import dev.tandem.transfer.wire.TransferReply;
import dev.tandem.transfer.wire.TransferRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Whole transfers between two nodes in this process, on real sockets. */
@Timeout(60)
class TransferIT {

    private static final int TOKENS = 10;

    private static Deadline soon() {
        return Deadline.after(Duration.ofSeconds(10));
    }

    private static void handOver(SenderNode sender, ReceiverNode receiver, String reqId, int first) throws Exception {
        try (Allocation pages = sender.compute(first, TOKENS);
                OutgoingTransfer transfer = sender.open(receiver, reqId, first, TOKENS)) {
            IntStream.range(0, pages.size()).forEach(chunk -> transfer.write(chunk, pages.page(chunk)));
            transfer.finish();
        }
    }

    private static void assertArrived(ReceiverNode receiver, int first) {
        List<byte[]> expected = SenderNode.expected(first, TOKENS);
        try (Lease lease = receiver.store().lease(SenderNode.keys(first, TOKENS))) {
            assertThat(lease.size()).isEqualTo(expected.size());
            for (int chunk = 0; chunk < lease.size(); chunk++) {
                assertThat(lease.page(chunk).segment(lease.bytes(chunk)).toArray(ValueLayout.JAVA_BYTE))
                        .isEqualTo(expected.get(chunk));
            }
        }
    }

    private static void assertNothingHeld(ReceiverNode receiver) {
        await().untilAsserted(() -> {
            assertThat(receiver.store().counts().reserved()).isZero();
            assertThat(receiver.store().counts().quarantined()).isZero();
            assertThat(receiver.store().counts().pinned()).isZero();
        });
    }

    @Test
    void everyChunkArrivesAsItWasComputedAndTheRequestIsReady() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual();
                var arrival = receiver.arrivals().expect("r", 1)) {
            handOver(sender, receiver, "r", 1);
            arrival.await(soon());
            assertArrived(receiver, 1);
            arrival.close();
            assertNothingHeld(receiver);
        }
    }

    @Test
    void aRequestIsNotReadyBeforeTheLastByteHasArrived() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual();
                var arrival = receiver.arrivals().expect("r", 1);
                Allocation pages = sender.compute(1, TOKENS);
                OutgoingTransfer transfer = sender.open(receiver, "r", 1, TOKENS)) {
            // Given
            transfer.write(0, pages.page(0));
            transfer.write(1, pages.page(1));
            await().until(() -> receiver.store().present(SenderNode.keys(1, TOKENS)) == 2);
            var last = new CountDownLatch(1);
            sender.channel().beforeWrite(() -> awaitOpen(last));
            transfer.write(2, pages.page(2));
            await().until(() -> sender.channel().writes() >= 2);
            assertThatThrownBy(() -> arrival.await(Deadline.after(Duration.ofMillis(100))))
                    .hasMessageContaining("missing ranks: [0]");

            // When
            last.countDown();

            // Then
            transfer.finish();
            arrival.await(soon());
            assertArrived(receiver, 1);
        }
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the test never opened the latch");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void noByteIsWrittenBeforeReadyIsAnswered() throws Exception {
        var codec = new MessageCodec();
        var ready = new CountDownLatch(1);
        Options options = Options.usual().initHandler(real -> new RequestServer.Handler() {
            @Override
            public Supplier<byte[]> accept(byte[] payload) {
                Supplier<byte[]> rest = real.accept(payload);
                boolean held = codec.decodeHandshakeRequest(payload) instanceof HandshakeRequest.Ready;
                return () -> {
                    if (held) {
                        awaitOpen(ready);
                    }
                    return rest.get();
                };
            }

            @Override
            public byte[] failure(Throwable cause) {
                return real.failure(cause);
            }
        });
        try (var receiver = new ReceiverNode(options);
                var sender = SenderNode.usual();
                Allocation pages = sender.compute(1, TOKENS);
                OutgoingTransfer transfer = sender.open(receiver, "r", 1, TOKENS)) {
            // Given
            IntStream.range(0, pages.size()).forEach(chunk -> transfer.write(chunk, pages.page(chunk)));
            await().until(() -> sender.channel().connects() == 1);
            assertThat(sender.channel().writes()).isZero();

            // When
            ready.countDown();

            // Then
            transfer.finish();
            assertThat(sender.channel().writes()).isPositive();
        }
    }

    @Test
    void chunksThatAreThereAlreadyAreNotSentAgain() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            handOver(sender, receiver, "first", 1);
            double before = sender.count("tandem.kv_transfer_bytes");
            handOver(sender, receiver, "second", 1);
            assertThat(sender.count("tandem.kv_transfer_bytes")).isEqualTo(before);
        }
    }

    @Test
    void aChunkThatArrivesDamagedIsSentOnceMore() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual();
                Allocation pages = sender.compute(1, TOKENS);
                OutgoingTransfer transfer = sender.open(receiver, "r", 1, TOKENS)) {
            // Given: the pages say something else when they are sent than when they are summed up
            var damaged = new AtomicBoolean();
            var segment = pages.page(0).segment(pages.bytes(0));
            sender.channel().beforeWrite(() -> {
                if (damaged.compareAndSet(false, true)) {
                    segment.fill((byte) 99);
                } else {
                    segment.fill((byte) 1);
                }
            });
            sender.channel().afterWrite(() -> segment.fill((byte) 1));

            // When
            IntStream.range(0, pages.size()).forEach(chunk -> transfer.write(chunk, pages.page(chunk)));
            transfer.finish();

            // Then
            assertArrived(receiver, 1);
            assertThat(receiver.count("tandem.kv_checksum_mismatches")).isEqualTo(1);
        }
    }

    @Test
    void aSenderThatGivesUpEndsTheWaitAtOnceAndItsPagesAreFree() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual();
                var arrival = receiver.arrivals().expect("r", 1)) {
            OutgoingTransfer transfer = sender.open(receiver, "r", 1, TOKENS);
            await().until(() -> receiver.store().counts().reserved() == 3);

            transfer.close();

            assertThatThrownBy(() -> arrival.await(soon()))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.ABORTED));
            assertNothingHeld(receiver);
        }
    }

    @Test
    void theLossOfTheSenderEndsTheWaitAtOnceAndItsPagesAreFree() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual();
                var arrival = receiver.arrivals().expect("r", 1);
                OutgoingTransfer transfer = sender.open(receiver, "r", 1, TOKENS)) {
            await().until(() -> receiver.store().counts().reserved() == 3);

            sender.channel().close();

            assertThatThrownBy(() -> arrival.await(soon()))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.PEER_LOST));
            assertNothingHeld(receiver);
            assertThatThrownBy(transfer::finish).isInstanceOf(TransferException.class);
        }
    }

    @Test
    void aLeaseThatIsNotRenewedFreesThePagesAndLateWritesAreRefused() throws Exception {
        try (var receiver = new ReceiverNode(Options.usual().lease(Duration.ofMillis(200)));
                var sender = SenderNode.usual()) {
            // Given
            OutboundSession session = sender.peers().ready(receiver.id(), soon());
            TransferReply.Alloc grant = session.ask(
                    receiver.allocPort(), alloc("t", session.greeted().stamp(), keys("a")), soon());

            // When
            await().pollInterval(Duration.ofMillis(50)).until(() -> {
                receiver.receiver().sweep();
                return receiver.store().counts().reserved() == 0;
            });

            // Then
            assertNothingHeld(receiver);
            String buffer = grant.remoteBufferUuids().getFirst();
            long offset = grant.remoteIndexes().getFirst() * SenderNode.layout().pageBytes();
            assertThat(receiver.store()
                            .beginWrite(buffer, offset, 16, grant.writeTokens().getFirst()))
                    .isFalse();
        }
    }

    @Test
    void aRepeatedCommitGetsTheOutcomeOfTheFirst() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            OutboundSession session = sender.peers().ready(receiver.id(), soon());
            Stamp stamp = session.greeted().stamp();
            TransferReply.Alloc grant = session.ask(receiver.allocPort(), alloc("t", stamp, keys("a")), soon());
            var commit = new TransferRequest.Commit("t", stamp, keys("a"), grant.writeTokens(), List.of(), true);
            assertThat(session.ask(receiver.allocPort(), commit, soon()).ok()).isTrue();
            assertThat(session.ask(receiver.allocPort(), commit, soon()).ok()).isTrue();
        }
    }

    @Test
    void onlyThePeerTokenOfTheCurrentHandshakeOpensAnything() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            OutboundSession session = sender.peers().ready(receiver.id(), soon());
            Stamp good = session.greeted().stamp();
            assertRefused(
                    receiver,
                    sender,
                    new Stamp(good.senderId(), good.incarnation(), OpaqueBytes.of(new byte[32]), ""),
                    ErrorCode.NOT_AUTHORIZED);
            assertRefused(receiver, sender, new Stamp("nobody", "x", good.peerToken(), ""), ErrorCode.UNKNOWN_PEER);
            assertRefused(
                    receiver,
                    sender,
                    new Stamp(good.senderId(), good.incarnation(), good.peerToken(), "another"),
                    ErrorCode.STALE);
            assertThat(session.lost()).isNotDone();
            handOver(sender, receiver, "r", 1);
        }
    }

    private static void assertRefused(ReceiverNode receiver, SenderNode sender, Stamp stamp, ErrorCode code) {
        try (var client = new RequestClient(sender.sockets(), "127.0.0.1", receiver.allocPort())) {
            assertThatThrownBy(() -> client.ask(alloc("t", stamp, keys("a")), soon()))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.code()).isEqualTo(code));
        }
        assertThat(receiver.store().counts().reserved()).isZero();
    }

    private static List<String> keys(String... keys) {
        return List.of(keys);
    }

    private static TransferRequest.Alloc alloc(String transferId, Stamp stamp, List<String> keys) {
        return new TransferRequest.Alloc(
                chunks(keys, List.of(2L, 1L, 4L, 8L), "float", 4),
                transferId,
                true,
                keys.size(),
                stamp,
                transferId,
                true);
    }

    private static TransferRequest.Chunks chunks(List<String> keys, List<Long> shape, String dtype, long lastTokens) {
        return new TransferRequest.Chunks(keys, 1, shape, dtype, lastTokens);
    }

    static List<TransferRequest.Chunks> oddChunks() {
        List<Long> shape = List.of(2L, 1L, 4L, 8L);
        return List.of(
                chunks(keys("a"), List.of(2L, 1L, 0L, 8L), "float", 4),
                chunks(keys("a"), List.of(2L, -1L, 4L, 8L), "float", 4),
                chunks(keys("a"), List.of(2L, 1L, 4L, 1L << 31), "float", 4),
                chunks(keys("a"), List.of(), "float", 4),
                chunks(keys("a"), shape, "bf16", 4),
                chunks(keys("a"), shape, "float", 0),
                chunks(keys("a"), shape, "float", 5),
                chunks(keys("a"), shape, "float", -1),
                chunks(List.of(""), shape, "float", 4),
                chunks(List.of("k".repeat(ChunkKey.MAX_BYTES + 1)), shape, "float", 4),
                chunks(IntStream.range(0, 100_000).mapToObj(Integer::toString).toList(), shape, "float", 4));
    }

    @ParameterizedTest
    @MethodSource("oddChunks")
    void oddShapesAreRefusedWithTheFieldAndThePortLives(TransferRequest.Chunks odd) throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            // Given
            OutboundSession session = sender.peers().ready(receiver.id(), soon());
            Stamp stamp = session.greeted().stamp();
            var request = new TransferRequest.Alloc(odd, "odd", true, odd.keys().size(), stamp, "odd", true);

            // When, Then
            assertThatThrownBy(() -> session.ask(receiver.allocPort(), request, soon()))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.BAD_REQUEST));
            assertThat(receiver.store().counts().reserved()).isZero();
            assertThat(session.ask(receiver.allocPort(), alloc("t", stamp, keys("a")), soon())
                            .remoteIndexes())
                    .hasSize(1);
        }
    }

    @Test
    void noKeysAtAllMeanNothingToTransfer() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            OutboundSession session = sender.peers().ready(receiver.id(), soon());
            TransferReply.Alloc grant = session.ask(
                    receiver.allocPort(), alloc("t", session.greeted().stamp(), keys()), soon());
            assertThat(grant.remoteIndexes()).isEmpty();
            assertThat(grant.alreadySentIndexes()).isEmpty();
        }
    }

    @Test
    void aRequestLargerThanThePoolIsRefusedAtOnceNamingBothSizes() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            OutboundSession session = sender.peers().ready(receiver.id(), soon());
            List<String> many =
                    IntStream.range(0, 17).mapToObj(Integer::toString).toList();
            assertThatThrownBy(() -> session.ask(
                            receiver.allocPort(), alloc("t", session.greeted().stamp(), many), soon()))
                    .isInstanceOfSatisfying(TransferException.class, failure -> {
                        assertThat(failure.code()).isEqualTo(ErrorCode.TOO_LARGE);
                        assertThat(failure.message()).contains("17").contains("16");
                    });
        }
    }

    @Test
    void aSenderThatCannotCommitIsAnsweredButItsChunksNeverBecomeVisible() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual();
                var client = new RequestClient(sender.sockets(), "127.0.0.1", receiver.allocPort())) {
            var plain = new TransferRequest.Alloc(
                    chunks(keys("a", "b"), List.of(2L, 1L, 4L, 8L), "float", 4), "", false, 0, Stamp.NONE, "", false);
            TransferReply.Alloc grant = client.ask(plain, soon());
            assertThat(grant.remoteIndexes()).hasSize(2);
            assertThat(receiver.store().present(List.of(new ChunkKey("a")))).isZero();
            assertThatThrownBy(() -> {
                        client.ask(plain, soon());
                        client.ask(plain, soon());
                    })
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.POOL_FULL));
        }
    }
}
