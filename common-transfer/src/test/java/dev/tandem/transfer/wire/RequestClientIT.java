package dev.tandem.transfer.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class RequestClientIT {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final CountedEvents events = new CountedEvents();
    private final ZmqSockets sockets = new ZmqSockets(events, 1 << 20);
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    private final ScriptedPort handler = new ScriptedPort();
    private final Queue<String> late = new ConcurrentLinkedQueue<>();

    @AfterEach
    void closeAll() {
        callers.shutdownNow();
        sockets.close();
    }

    private RequestServer server() {
        return new RequestServer(sockets, "127.0.0.1", 0, handler);
    }

    private RequestClient client(int port) {
        return new RequestClient(
                sockets,
                "127.0.0.1",
                port,
                (request, reply) -> late.add(((TransferRequest.Abort) request).transferId() + " "
                        + ((TransferReply.Abort) reply).message()));
    }

    private static String ask(RequestClient client, String id, Duration time) throws InterruptedException {
        return client.ask(ScriptedPort.request(id, "now"), Deadline.after(time)).message();
    }

    private Future<String> asking(RequestClient client, String id, Duration time) {
        return callers.submit(() -> ask(client, id, time));
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static Duration millis(int millis) {
        return Duration.ofMillis(millis);
    }

    @Test
    void manyRequestsAreAnsweredOverOneConnectionInAnyOrder() throws Exception {
        try (var peer = new ForeignPeer(0);
                var client = client(peer.port())) {
            List<Future<String>> answers = IntStream.range(0, 50)
                    .mapToObj(i -> asking(client, "r" + i, seconds(10)))
                    .toList();
            List<ForeignPeer.Asked> asked =
                    new ArrayList<>(Stream.generate(peer::next).limit(50).toList());

            Collections.shuffle(asked);
            asked.forEach(each -> peer.answer(each, peer.id(each)));

            for (int i = 0; i < 50; i++) {
                assertThat(answers.get(i).get()).isEqualTo("r" + i);
            }
            assertThat(asked.stream().map(ForeignPeer.Asked::peer).distinct()).hasSize(1);
            assertThat(asked).allSatisfy(each -> {
                assertThat(each.envelope()).hasSize(2);
                assertThat(each.envelope().getFirst()).hasSize(8);
            });
        }
    }

    @Test
    void namesAndIpv6AddressesAreReached() throws Exception {
        try (var v4 = server();
                var v6 = new RequestServer(sockets, "::1", 0, handler);
                var named = new RequestClient(sockets, "localhost", v4.port());
                var plain = new RequestClient(sockets, "::1", v6.port())) {
            assertThat(ask(named, "named", seconds(10))).isEqualTo("named");
            assertThat(ask(plain, "plain", seconds(10))).isEqualTo("plain");
        }
    }

    @Test
    void anUnknownHostIsSaidAtOnce() {
        try (var client = new RequestClient(sockets, "no.such.host.invalid", 1)) {
            assertThatThrownBy(() -> ask(client, "one", seconds(30)))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PEER_LOST))
                    .hasMessageContaining("tcp://no.such.host.invalid:1: no such host");
        }
    }

    @Test
    void nobodyThereIsATimeOutThatNamesRequestAndAddress() {
        int port = freePort();
        try (var client = client(port)) {
            assertThatThrownBy(() -> ask(client, "one", millis(50)))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                    .hasMessage("AbortRequest to tcp://127.0.0.1:%d: no answer before the deadline", port);
        }
    }

    @Test
    void aDeadlineThatHasPassedSendsNothing() {
        try (var peer = new ForeignPeer(0);
                var client = client(peer.port())) {
            assertThatThrownBy(() -> ask(client, "one", Duration.ZERO)).hasMessageContaining("not sent");
            assertThat(peer.silentFor(50)).isTrue();
        }
    }

    @Test
    void aServerThatStartsLaterIsReachedAndHearsNothingOld() throws Exception {
        int port = freePort();
        try (var client = client(port)) {
            assertThatThrownBy(() -> ask(client, "old", millis(50))).isInstanceOf(TransferException.class);
            Future<String> answer = asking(client, "new", seconds(20));
            try (var peer = new ForeignPeer(port)) {
                ForeignPeer.Asked asked = peer.next();

                assertThat(peer.id(asked)).isEqualTo("new");
                peer.answer(asked, "done");
                assertThat(answer.get()).isEqualTo("done");
                assertThat(peer.silentFor(50)).isTrue();
            }
        }
    }

    @Test
    void afterATimeOutAFreshSocketIsUsedAndTheOldOneMayStillAnswer() throws Exception {
        try (var peer = new ForeignPeer(0);
                var client = client(peer.port())) {
            Future<String> patient = asking(client, "patient", seconds(20));
            ForeignPeer.Asked first = peer.next();
            Future<String> hasty = asking(client, "hasty", millis(200));
            ForeignPeer.Asked second = peer.next();
            assertThat(second.peer()).isEqualTo(first.peer());
            assertThatThrownBy(hasty::get).hasMessageContaining("no answer before the deadline");

            Future<String> fresh = asking(client, "fresh", seconds(20));
            ForeignPeer.Asked third = peer.next();
            peer.answer(third, "third");
            peer.answer(first, "first");

            assertThat(third.peer()).isNotEqualTo(first.peer());
            assertThat(fresh.get()).isEqualTo("third");
            assertThat(patient.get()).isEqualTo("first");
        }
    }

    @Test
    void aLateReplyIsCountedAndHandedOverAndAnswersNobodyElse() throws Exception {
        try (var peer = new ForeignPeer(0);
                var client = client(peer.port())) {
            Future<String> warmUp = asking(client, "warm-up", seconds(20));
            peer.answer(peer.next(), "warm");
            warmUp.get();
            Future<String> hasty = asking(client, "hasty", millis(200));
            ForeignPeer.Asked first = peer.next();
            assertThatThrownBy(hasty::get).isInstanceOf(ExecutionException.class);
            Future<String> next = asking(client, "next", seconds(20));
            ForeignPeer.Asked second = peer.next();

            peer.answer(first, "too late");
            peer.answer(second, "in time");

            assertThat(next.get()).isEqualTo("in time");
            await().until(() -> late.contains("hasty too late"));
            assertThat(client.lateReplies()).isOne();
            assertThat(events.lateReplies).hasValue(1);
        }
    }

    @Test
    void aRepeatedOrForeignReplyAnswersNobody() throws Exception {
        try (var peer = new ForeignPeer(0);
                var client = client(peer.port())) {
            Future<String> answer = asking(client, "one", seconds(20));
            ForeignPeer.Asked asked = peer.next();
            var wrongId = new ForeignPeer.Asked(asked.identity(), List.of(new byte[8], new byte[0]), new byte[0]);
            var noId = new ForeignPeer.Asked(asked.identity(), List.of(new byte[3], new byte[0]), new byte[0]);

            peer.answer(wrongId, "wrong");
            peer.answer(noId, "none");
            peer.answer(asked, "first");
            peer.answer(asked, "again");

            assertThat(answer.get()).isEqualTo("first");
            await().until(() -> client.lateReplies() == 3);
            assertThat(late).isEmpty();
        }
    }

    @Test
    void whatIsNoAnswerIsThrown() throws Exception {
        byte[] heartbeat = new MessageCodec().encode(new TransferReply.Heartbeat("", "", List.of(), true, "", ""));
        byte[] refusal = new MessageCodec().encode(TransferReply.Alloc.failed("STALE", "not this process"));
        try (var peer = new ForeignPeer(0);
                var client = client(peer.port())) {
            assertAnswered(client, peer, ErrorCode.BAD_REQUEST, "could not process it", new byte[0]);
            assertAnswered(client, peer, ErrorCode.BAD_REQUEST, "message: expected map", new byte[] {1, 2});
            assertAnswered(client, peer, ErrorCode.BAD_REQUEST, "2 payload frames", heartbeat, heartbeat);
            assertAnswered(client, peer, ErrorCode.INTERNAL, "unexpected reply HeartbeatResponse", heartbeat);
            assertAnswered(client, peer, ErrorCode.STALE, "not this process", refusal);
        }
    }

    private void assertAnswered(
            RequestClient client, ForeignPeer peer, ErrorCode code, String message, byte[]... payload) {
        Future<String> answer = asking(client, "one", seconds(20));
        peer.answer(peer.next(), payload);

        assertThatThrownBy(answer::get)
                .cause()
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    @Test
    void anInterruptIsObeyedAndTheConnectionLives() throws Exception {
        try (var peer = new ForeignPeer(0);
                var client = client(peer.port())) {
            Future<String> interrupted = asking(client, "one", seconds(30));
            ForeignPeer.Asked first = peer.next();

            interrupted.cancel(true);
            Future<String> next = asking(client, "next", seconds(20));
            ForeignPeer.Asked second = peer.next();
            peer.answer(first, "late");
            peer.answer(second, "next");

            assertThat(next.get()).isEqualTo("next");
            assertThat(second.peer()).isEqualTo(first.peer());
            await().until(() -> late.contains("one late"));
        }
    }

    @Test
    void closingEndsWhatIsUnderWayAtOnce() throws Exception {
        try (var peer = new ForeignPeer(0)) {
            RequestClient client = client(peer.port());
            Future<String> sent = asking(client, "sent", seconds(30));
            peer.next();
            RequestClient unconnected = client(freePort());
            Future<String> unsent = asking(unconnected, "unsent", seconds(30));

            client.close();
            unconnected.close();

            for (Future<String> each : List.of(sent, unsent)) {
                assertThatThrownBy(each::get)
                        .cause()
                        .isInstanceOfSatisfying(
                                TransferException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.PEER_LOST));
            }
            assertThatThrownBy(() -> ask(client, "after", seconds(30))).hasMessageContaining("is closed");
            client.close();
            client(1).close();
        }
    }

    @Test
    void closingTheSocketsEndsEverything() {
        RequestServer server = server();
        RequestClient client = client(server.port());
        Future<?> held =
                callers.submit(() -> client.ask(ScriptedPort.request("held", "hold"), Deadline.after(seconds(30))));
        await().until(() -> handler.arrived.contains("held"));

        sockets.close();

        assertThatThrownBy(held::get)
                .cause()
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PEER_LOST));
        assertThat(server.alive()).isFalse();
        assertThat(sockets.alive()).isFalse();
        assertThatThrownBy(() -> ask(client, "after", seconds(30))).isInstanceOf(TransferException.class);
        assertThatThrownBy(this::server).isInstanceOf(TransferException.class);
        sockets.close();
    }

    @Test
    void aServerThatComesBackIsAskedOverTheSameClient() throws Exception {
        RequestServer first = server();
        int port = first.port();
        try (var client = client(port)) {
            assertThat(ask(client, "before", seconds(10))).isEqualTo("before");
            first.close();
            try (var second = new RequestServer(sockets, "127.0.0.1", port, handler)) {
                assertThat(second.port()).isEqualTo(port);
                await().ignoreExceptions()
                        .until(() -> ask(client, "after", seconds(5)).equals("after"));
            }
        }
    }

    @Test
    void aLostConnectionEndsWhatIsUnderWayAtOnce() throws Exception {
        RequestServer server = server();
        try (var client = client(server.port())) {
            Future<?> held =
                    callers.submit(() -> client.ask(ScriptedPort.request("held", "hold"), Deadline.after(seconds(30))));
            await().until(() -> handler.arrived.contains("held"));

            server.close();

            assertThatThrownBy(held::get)
                    .cause()
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PEER_LOST))
                    .hasMessageContaining("tcp://127.0.0.1:%d: the connection was lost", server.port());
        }
    }

    /** An interrupt in the middle of a socket operation would close that socket's channels for good. */
    @Test
    void aStormOfInterruptsAndTimeOutsBreaksNothing() throws Exception {
        long seed = 42;
        var random = new SplittableRandom(seed);
        try (var server = server();
                var client = client(server.port())) {
            var rightAnswers = new AtomicInteger();
            for (int round = 0; round < 400; round++) {
                String id = "r" + round;
                Duration time = random.nextInt(4) == 0 ? Duration.ofNanos(random.nextInt(500_000)) : seconds(20);
                Future<?> asking = callers.submit(() -> {
                    if (ask(client, id, time).equals(id)) {
                        rightAnswers.incrementAndGet();
                    } else {
                        throw new AssertionError("a reply of another request, seed " + seed);
                    }
                    return id;
                });
                if (random.nextBoolean()) {
                    for (long until = System.nanoTime() + random.nextInt(300_000); System.nanoTime() < until; ) {
                        Thread.onSpinWait();
                    }
                    asking.cancel(true);
                }
            }
            assertThat(ask(client, "last", seconds(20))).isEqualTo("last");
            assertThat(rightAnswers).hasPositiveValue();
            assertThat(server.alive() && sockets.alive()).isTrue();
            assertThat(events.faults).hasValue(0);
        }
    }

    static boolean descriptorsCanBeCounted() {
        return Files.isDirectory(DESCRIPTORS);
    }

    private static long descriptors() {
        try (Stream<Path> open = Files.list(DESCRIPTORS)) {
            return open.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @EnabledIf("descriptorsCanBeCounted")
    void timeOutsLeaveNoDescriptorsBehind() throws Exception {
        try (var silent = new ForeignPeer(0);
                var client = client(silent.port());
                var nowhere = client(freePort());
                var server = server()) {
            ask(client(server.port()), "warm-up", seconds(10));
            long before = descriptors();

            for (int round = 0; round < 200; round++) {
                for (RequestClient each : List.of(client, nowhere)) {
                    assertThatThrownBy(() -> ask(each, "r", millis(3))).isInstanceOf(TransferException.class);
                }
                try (var shortLived = client(server.port())) {
                    ask(shortLived, "r", seconds(10));
                }
            }

            client.close();
            nowhere.close();
            await().atMost(seconds(20)).until(() -> descriptors() <= before);
        }
    }

    @Test
    @EnabledIf("descriptorsCanBeCounted")
    void aClosedNodeKeepsNoDescriptors() throws Exception {
        long before = descriptors();
        for (int round = 0; round < 10; round++) {
            try (var own = new ZmqSockets()) {
                var server = new RequestServer(own, "127.0.0.1", 0, handler);
                var client = new RequestClient(own, "127.0.0.1", server.port());
                ask(client, "r", seconds(10));
            }
        }
        await().atMost(seconds(20)).until(() -> descriptors() <= before + 1);
    }

    private static int freePort() {
        try (var peer = new ForeignPeer(0)) {
            return peer.port();
        }
    }
}
