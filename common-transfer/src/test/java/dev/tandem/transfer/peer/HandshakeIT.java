package dev.tandem.transfer.peer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.tandem.transfer.DataType;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.KvFormat;
import dev.tandem.transfer.KvLayout;
import dev.tandem.transfer.PeerId;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.testing.ReceiverNode;
import dev.tandem.transfer.testing.ReceiverNode.Options;
import dev.tandem.transfer.testing.SenderNode;
import dev.tandem.transfer.wire.HandshakeReply;
import dev.tandem.transfer.wire.HandshakeRequest;
import dev.tandem.transfer.wire.MessageCodec;
import dev.tandem.transfer.wire.OpaqueBytes;
import dev.tandem.transfer.wire.RequestClient;
import dev.tandem.transfer.wire.RequestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Both halves of the handshake on real sockets, with the races held open by the test. */
@Timeout(60)
class HandshakeIT {

    private static final List<Path> CONNECTIONS = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private static Deadline soon() {
        return Deadline.after(Duration.ofSeconds(10));
    }

    @Test
    void firstConnectToAPeerNeverSeenCompletesOverTheChannel() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            // When
            OutboundSession session = sender.peers().ready(receiver.id(), soon());

            // Then
            session.connection().probe(soon());
            assertThat(receiver.peers().sessions()).singleElement().matches(InboundSession::isReady);
        }
    }

    @Test
    void memRegThatOvertakesAcceptWaitsForIt() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            // Given
            var accept = new CountDownLatch(1);
            receiver.channel().holdAccept(accept);
            Future<OutboundSession> ready = threads.submit(() -> sender.peers().ready(receiver.id(), soon()));
            await().until(() -> sender.channel().connects() == 1);
            assertThat(ready).isNotDone();
            assertThat(receiver.peers().sessions())
                    .singleElement()
                    .matches(session -> session.stateLabel().equals("ACCEPTING"));

            // When
            accept.countDown();

            // Then
            assertThat(ready.get(10, TimeUnit.SECONDS).greeted().generation()).isEqualTo(1);
        }
    }

    @Test
    void memRegAfterAnAcceptThatFailsSaysSoAndTheNextAttemptStartsAfresh() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            // Given
            var accept = new CountDownLatch(1);
            receiver.channel().failAccept(accept);
            Future<OutboundSession> first = threads.submit(() -> sender.peers().ready(receiver.id(), soon()));
            await().until(() -> sender.channel().connects() == 1);
            accept.countDown();
            assertThatThrownBy(() -> first.get(10, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(TransferException.class, failure -> {
                        assertThat(failure.code()).isEqualTo(ErrorCode.ACCEPT_FAILED);
                        assertThat(failure.message()).contains("step memreg");
                    });

            // When
            receiver.channel().freeAccept();
            OutboundSession second = sender.peers().ready(receiver.id(), soon());

            // Then
            assertThat(second.greeted().generation()).isGreaterThan(1);
            assertThat(receiver.channel().offers()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void handshakesWithRandomDelaysOfAcceptAllSucceed() throws Exception {
        long seed = 20261201;
        var random = new SplittableRandom(seed);
        try (var receiver = ReceiverNode.usual();
                var timer = Executors.newSingleThreadScheduledExecutor()) {
            for (int round = 0; round < 50; round++) {
                var accept = new CountDownLatch(1);
                receiver.channel().holdAccept(accept);
                var _ = timer.schedule(accept::countDown, random.nextInt(20), TimeUnit.MILLISECONDS);
                try (var sender = SenderNode.usual()) {
                    assertThat(sender.peers().ready(receiver.id(), soon()).lost())
                            .as("round %d of seed %d", round, seed)
                            .isNotDone();
                }
            }
        }
    }

    @Test
    void manyCallersOfOneNewReceiverShareOneHandshakeWhileAStuckReceiverDelaysNone() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual();
                var stuck = silent(sender)) {
            // Given
            Future<OutboundSession> waiting =
                    threads.submit(() -> sender.peers().ready(new PeerId("127.0.0.1", stuck.port()), soon()));
            int callers = 64;
            var barrier = new CyclicBarrier(callers);
            var outcomes = new ArrayList<Future<OutboundSession>>();

            // When
            for (int i = 0; i < callers; i++) {
                outcomes.add(threads.submit(() -> {
                    barrier.await();
                    OutboundSession session = sender.peers().ready(receiver.id(), soon());
                    session.heartbeat("ready", soon());
                    return session;
                }));
            }
            Set<OutboundSession> sessions = new HashSet<>();
            for (Future<OutboundSession> outcome : outcomes) {
                sessions.add(outcome.get(10, TimeUnit.SECONDS));
            }

            // Then
            assertThat(sessions).hasSize(1);
            assertThat(receiver.channel().offers()).isEqualTo(1);
            assertThat(sender.channel().connects()).isEqualTo(1);
            if (Files.isReadable(CONNECTIONS.getFirst())) {
                assertThat(connectionsTo(receiver.allocPort())).isEqualTo(1);
            }
            assertThat(waiting).isNotDone();
        }
    }

    /** Established connections to a local port, as the kernel lists them: field 2 is the remote end, field 3 the state. */
    private static long connectionsTo(int port) throws Exception {
        String end = ":%04X".formatted(port);
        long count = 0;
        for (Path table : CONNECTIONS) {
            try (Stream<String> lines = Files.lines(table)) {
                count += lines.map(line -> line.strip().split("\\s+"))
                        .filter(fields -> fields[2].endsWith(end) && fields[3].equals("01"))
                        .count();
            }
        }
        return count;
    }

    private static RequestServer silent(SenderNode node) {
        return scripted(node, _ -> () -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new byte[0];
        });
    }

    private static RequestServer scripted(SenderNode node, Function<byte[], Supplier<byte[]>> script) {
        return new RequestServer(node.sockets(), "127.0.0.1", 0, new RequestServer.Handler() {
            @Override
            public Supplier<byte[]> accept(byte[] payload) {
                return script.apply(payload);
            }

            @Override
            public byte[] failure(Throwable cause) {
                return new byte[0];
            }
        });
    }

    @Test
    void aReceiverThatTakesInitAndSaysNothingFailsEachHandshakeInTimeAndLeaksNothing() throws Exception {
        Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "counts descriptors in /proc");
        try (var sender = new SenderNode(Duration.ofMillis(20));
                var stuck = silent(sender)) {
            var peer = new PeerId("127.0.0.1", stuck.port());
            var handshake = new SenderHandshake(
                    sender.settings(),
                    new Channels(List.of(sender.channel())),
                    MemoryGuard.CLOSED,
                    (to, port) -> new RequestClient(sender.sockets(), to.host(), port));
            failsInInit(handshake, peer, 1);
            long before = descriptors();

            for (int round = 2; round < 100; round++) {
                failsInInit(handshake, peer, round);
            }

            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(descriptors()).isLessThanOrEqualTo(before + 8));
        }
    }

    private static void failsInInit(SenderHandshake handshake, PeerId peer, long generation) {
        assertThatThrownBy(() -> handshake.greet(peer, generation))
                .isInstanceOfSatisfying(TransferException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
                    assertThat(failure.message()).contains("step init");
                });
    }

    private static long descriptors() throws Exception {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Test
    void aMemRegErrorFailsTheRequestAndTheNextOneSaysInitAgain() throws Exception {
        var inits = new AtomicInteger();
        var codec = new MessageCodec();
        Options options = Options.usual().initHandler(real -> new RequestServer.Handler() {
            @Override
            public Supplier<byte[]> accept(byte[] payload) {
                if (codec.decodeHandshakeRequest(payload) instanceof HandshakeRequest.Init) {
                    inits.incrementAndGet();
                }
                if (inits.get() == 1 && codec.decodeHandshakeRequest(payload) instanceof HandshakeRequest.MemReg) {
                    return () -> codec.encode(new HandshakeReply.Error(false, "", ""));
                }
                return real.accept(payload);
            }

            @Override
            public byte[] failure(Throwable cause) {
                return real.failure(cause);
            }
        });
        try (var receiver = new ReceiverNode(options);
                var sender = SenderNode.usual()) {
            // Given
            assertThatThrownBy(() -> sender.peers().ready(receiver.id(), soon()))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("step memreg");

            // When
            OutboundSession session = sender.peers().ready(receiver.id(), soon());

            // Then
            assertThat(inits).hasValueGreaterThanOrEqualTo(2);
            session.connection().probe(soon());
        }
    }

    @Test
    void aNewGenerationOfTheSameSenderEndsTheOldOne() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            // Given
            OutboundSession old = sender.peers().ready(receiver.id(), soon());
            InboundSession before = receiver.peers().sessions().getFirst();

            // When
            sender.peers().forget(receiver.id());
            OutboundSession fresh = sender.peers().ready(receiver.id(), soon());

            // Then
            assertThat(old.lost()).isDone();
            assertThat(before.cause()).isPresent();
            assertThat(receiver.peers().sessions())
                    .singleElement()
                    .matches(session -> session.generation() == fresh.greeted().generation() && session.isReady());
        }
    }

    @Test
    void aGenerationThatIsNotNewerIsRefusedAsStale() throws Exception {
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual()) {
            // Given
            long current = sender.peers().ready(receiver.id(), soon()).greeted().generation();
            var settings = sender.settings();
            var meta = new Meta(
                    settings.incarnation(),
                    0,
                    0,
                    settings.compatibility(),
                    new Channels(List.of(sender.channel())).greetings());

            // When, Then
            try (var client = new RequestClient(
                    sender.sockets(), "127.0.0.1", receiver.id().initPort())) {
                var init = new HandshakeRequest.Init(
                        settings.localId(),
                        meta.toBytes(),
                        current,
                        settings.incarnation().value());
                assertThatThrownBy(() -> client.ask(init, soon()))
                        .isInstanceOfSatisfying(
                                TransferException.class,
                                failure -> assertThat(failure.code()).isEqualTo(ErrorCode.STALE));
            }
            assertThat(receiver.peers().sessions()).singleElement().matches(InboundSession::isReady);
        }
    }

    @Test
    void aReceiverThatRestartsOnTheSamePortsIsGreetedAgainWithoutAnyRequest() throws Exception {
        try (var sender = SenderNode.usual()) {
            int initPort;
            int allocPort;
            OutboundSession before;
            try (var receiver = ReceiverNode.usual()) {
                initPort = receiver.id().initPort();
                allocPort = receiver.allocPort();
                before = sender.peers().ready(receiver.id(), soon());
            }
            await().untilAsserted(() -> assertThat(before.lost()).isDone());

            try (var back = new ReceiverNode(Options.usual().ports(initPort, allocPort))) {
                await().atMost(Duration.ofSeconds(20))
                        .untilAsserted(() -> assertThat(back.peers().sessions())
                                .singleElement()
                                .matches(InboundSession::isReady));
                OutboundSession after = sender.peers().ready(back.id(), soon());
                assertThat(after.greeted().incarnation())
                        .isNotEqualTo(before.greeted().incarnation());
            }
        }
    }

    @Test
    void nodesThatDifferAreRefusedNamingTheFieldAndBothValues() throws Exception {
        var other = new KvLayout(KvFormat.KV_2LTD, DataType.FLOAT, List.of(2, 1, 8, 8));
        try (var receiver = new ReceiverNode(Options.usual().layout(other));
                var sender = SenderNode.usual()) {
            assertThatThrownBy(() -> sender.peers().ready(receiver.id(), soon()))
                    .isInstanceOfSatisfying(TransferException.class, failure -> {
                        assertThat(failure.code()).isEqualTo(ErrorCode.INCOMPATIBLE);
                        assertThat(failure.message()).contains("chunk_tokens 8≠4");
                    });
        }
    }

    @Test
    void foreignMetasAndHandlesStayOpaqueBytes() throws Exception {
        byte[] pickle = {(byte) 0x80, 4, (byte) 0x95, 61, 0, 0, 0, 0, 0, 0, 0, (byte) 0x8c, 2, 'o', 's', 'c', 'x'};
        byte[] javaObject = {(byte) 0xac, (byte) 0xed, 0, 5, 's', 'r', 0, 1, 'X'};
        try (var receiver = ReceiverNode.usual();
                var sender = SenderNode.usual();
                var client = new RequestClient(
                        sender.sockets(), "127.0.0.1", receiver.id().initPort())) {
            for (byte[] payload : List.of(pickle, javaObject)) {
                assertThatThrownBy(() -> client.ask(
                                new HandshakeRequest.Init("stranger", OpaqueBytes.of(payload), 0, ""), soon()))
                        .isInstanceOfSatisfying(
                                TransferException.class,
                                failure -> assertThat(failure.code()).isEqualTo(ErrorCode.INCOMPATIBLE));
                assertThatThrownBy(() -> client.ask(
                                new HandshakeRequest.MemReg("stranger", OpaqueBytes.of(payload), 0, ""), soon()))
                        .isInstanceOfSatisfying(
                                TransferException.class,
                                failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNKNOWN_PEER));
            }
            assertThat(receiver.peers().sessions()).isEmpty();
        }
    }

    @Test
    void aSenderThatNeverConnectsIsDroppedAfterItsDeadlineAndOthersAreNotDelayed() throws Exception {
        try (var receiver = new ReceiverNode(Options.usual().stepTimeout(Duration.ofMillis(300)));
                var sender = SenderNode.usual();
                var client = new RequestClient(
                        sender.sockets(), "127.0.0.1", receiver.id().initPort())) {
            // Given
            var settings = sender.settings();
            var meta = new Meta(
                    settings.incarnation(),
                    0,
                    0,
                    settings.compatibility(),
                    new Channels(List.of(sender.channel())).greetings());
            client.ask(new HandshakeRequest.Init("absent", meta.toBytes(), 1, "gone"), soon());

            // When
            sender.peers().ready(receiver.id(), soon());

            // Then
            await().untilAsserted(() -> assertThat(
                            receiver.peers().find("absent").orElseThrow().cause())
                    .hasValueSatisfying(cause -> assertThat(cause.code()).isEqualTo(ErrorCode.ACCEPT_TIMEOUT)));
        }
    }
}
