package dev.tandem.transfer.wire;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.wire.WireEvents.Rejection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Clients here are plain ZeroMQ sockets, as foreign software has them. */
@Timeout(60)
class RequestServerIT {

    private static final int MAX_MESSAGE_BYTES = 4096;

    private final CountedEvents events = new CountedEvents();
    private final ZmqSockets sockets = new ZmqSockets(events, MAX_MESSAGE_BYTES);
    private final ZContext foreign = new ZContext();
    private final MessageCodec codec = new MessageCodec();
    private final ScriptedPort handler = new ScriptedPort();
    private final RequestServer server = new RequestServer(sockets, "127.0.0.1", 0, handler);

    @AfterEach
    void closeAll() {
        foreign.close();
        sockets.close();
    }

    private ZMQ.Socket client(SocketType type) {
        return client(type, "tcp://127.0.0.1:" + server.port());
    }

    private ZMQ.Socket client(SocketType type, String url) {
        return Foreign.connect(foreign.createSocket(type), url);
    }

    private byte[] request(String id, String reason) {
        return codec.encode(ScriptedPort.request(id, reason));
    }

    private String answered(byte[] payload) {
        return ((TransferReply.Abort) codec.decodeReply(payload)).message();
    }

    private TransferReply.Alloc refused(byte[] payload) {
        return (TransferReply.Alloc) codec.decodeReply(payload);
    }

    private String ask(ZMQ.Socket req, String id) {
        req.send(request(id, "now"));
        return answered(req.recv());
    }

    @Test
    void aPlainReqClientIsAnswered() {
        ZMQ.Socket req = client(SocketType.REQ);

        assertThat(ask(req, "one")).isEqualTo("one");
        assertThat(ask(req, "two")).isEqualTo("two");
    }

    @Test
    void everyFrameUpToTheEmptyOneComesBack() {
        ZMQ.Socket dealer = client(SocketType.DEALER);

        dealer.sendMore("route");
        dealer.sendMore("id");
        dealer.sendMore("");
        dealer.send(request("one", "now"));

        assertThat(dealer.recvStr()).isEqualTo("route");
        assertThat(dealer.recvStr()).isEqualTo("id");
        assertThat(dealer.recv()).isEmpty();
        assertThat(answered(dealer.recv())).isEqualTo("one");
        assertThat(dealer.hasReceiveMore()).isFalse();
    }

    @Test
    void whatCannotBeProcessedIsAnsweredAndTheNextRequestWorks() {
        ZMQ.Socket req = client(SocketType.REQ);
        byte[] wrongKind = codec.encode(new HandshakeRequest.Ready("me", 0, ""));
        byte[] wrongType = codec.encode(new TransferRequest.Heartbeat(Stamp.NONE, "ready"));
        byte[] unknownType = HexFormat.of().parseHex("81a474797065a4576861743f");

        for (byte[] bad :
                List.of(new byte[0], "junk".getBytes(StandardCharsets.UTF_8), wrongKind, wrongType, unknownType)) {
            req.send(bad);
            assertThat(refused(req.recv()).code()).isEqualTo("BAD_REQUEST");
            assertThat(ask(req, "next")).isEqualTo("next");
        }
        assertThat(events.rejections(Rejection.MALFORMED)).isEqualTo(4);
    }

    @Test
    void twoPayloadFramesAreRefusedAndTheNextRequestWorks() {
        ZMQ.Socket req = client(SocketType.REQ);

        req.sendMore(request("one", "now"));
        req.send(request("two", "now"));

        assertThat(refused(req.recv()).message()).isEqualTo("2 payload frames, one is wanted");
        assertThat(ask(req, "next")).isEqualTo("next");
        assertThat(handler.arrived).containsExactly("next");
    }

    @Test
    void manyFramesAreRefusedWithoutBeingKept() {
        ZMQ.Socket req = client(SocketType.REQ);

        IntStream.range(0, 10_000).forEach(_ -> req.sendMore("x"));
        req.send("x");

        assertThat(refused(req.recv()).message()).contains("payload frames, one is wanted");
        assertThat(ask(req, "next")).isEqualTo("next");
    }

    @Test
    void aMessageThatIsTooLargeIsRefusedAndTheNextRequestWorks() {
        ZMQ.Socket req = client(SocketType.REQ);

        req.send(new byte[MAX_MESSAGE_BYTES + 1]);

        assertThat(refused(req.recv()).message()).isEqualTo("message of 4097 bytes, at most 4096");
        assertThat(ask(req, "next")).isEqualTo("next");
        assertThat(events.rejections(Rejection.TOO_LARGE)).isOne();
    }

    @Test
    void aMessageThatIsFarTooLargeEndsItsConnectionOnly() {
        ZMQ.Socket other = client(SocketType.REQ);
        assertThat(ask(other, "before")).isEqualTo("before");
        ZMQ.Socket dealer = client(SocketType.DEALER);
        dealer.setReceiveTimeOut(200);

        dealer.sendMore("");
        dealer.send(new byte[100 * MAX_MESSAGE_BYTES]);

        assertThat(dealer.recv()).isNull();
        assertThat(ask(other, "unharmed")).isEqualTo("unharmed");
        assertThat(ask(client(SocketType.REQ), "new")).isEqualTo("new");
    }

    @Test
    void aMessageWithoutAnEnvelopeIsDroppedAndCounted() {
        ZMQ.Socket dealer = client(SocketType.DEALER);

        dealer.send("no delimiter");
        dealer.sendMore(new byte[300]);
        dealer.sendMore("");
        dealer.send(request("long envelope", "now"));
        dealer.sendMore("");
        dealer.send(request("one", "now"));

        assertThat(dealer.recv()).isEmpty();
        assertThat(answered(dealer.recv())).isEqualTo("one");
        assertThat(events.rejections(Rejection.NO_ENVELOPE)).isEqualTo(2);
    }

    @Test
    void aSlowRequestDelaysNoOther() {
        ZMQ.Socket dealer = client(SocketType.DEALER);
        ZMQ.Socket other = client(SocketType.REQ);

        dealer.sendMore("");
        dealer.send(request("slow", "hold"));
        dealer.sendMore("");
        dealer.send(request("quick", "now"));

        assertThat(dealer.recv()).isEmpty();
        assertThat(answered(dealer.recv())).isEqualTo("quick");
        assertThat(ask(other, "other")).isEqualTo("other");
        handler.release("slow");
        assertThat(dealer.recv()).isEmpty();
        assertThat(answered(dealer.recv())).isEqualTo("slow");
    }

    @Test
    void requestsAreAcceptedInTheOrderTheyCame() {
        ZMQ.Socket dealer = client(SocketType.DEALER);
        List<String> ids = IntStream.range(0, 500).mapToObj(i -> "r" + i).toList();

        ids.forEach(id -> {
            dealer.sendMore("");
            dealer.send(request(id, "now"));
        });
        ids.forEach(_ -> {
            dealer.recv();
            dealer.recv();
        });

        assertThat(handler.arrived).containsExactlyElementsOf(ids);
    }

    @Test
    void aHandlerThatFailsIsAnsweredFor() {
        ZMQ.Socket req = client(SocketType.REQ);

        for (String reason : List.of("fail early", "fail")) {
            req.send(request("one", reason));
            assertThat(refused(req.recv()).code()).isEqualTo("INTERNAL");
            assertThat(ask(req, "next")).isEqualTo("next");
        }
        assertThat(events.rejections(Rejection.FAILED)).isEqualTo(2);
    }

    @Test
    void aFailureThatCannotBeDescribedIsAnEmptyReply() {
        var broken = new RequestServer.Handler() {
            @Override
            public Supplier<byte[]> accept(byte[] payload) {
                throw new StackOverflowError("deep");
            }

            @Override
            public byte[] failure(Throwable cause) {
                throw new IllegalStateException("cannot describe", cause);
            }
        };
        try (var port = new RequestServer(sockets, "127.0.0.1", 0, broken)) {
            ZMQ.Socket req = client(SocketType.REQ, "tcp://127.0.0.1:" + port.port());

            for (int i = 0; i < 2; i++) {
                req.send("anything");
                assertThat(req.recv()).isEmpty();
            }
            assertThat(port.alive()).isTrue();
        }
    }

    @Test
    void aPeerWithTooManyRequestsIsRefusedAtOnceAndOthersAreNot() {
        var settings = new RequestServer.Settings("127.0.0.1", 0, 3, 2);
        try (var limited = new RequestServer(sockets, settings, handler)) {
            String url = "tcp://127.0.0.1:" + limited.port();
            ZMQ.Socket greedy = client(SocketType.DEALER, url);
            for (String id : List.of("a", "b", "c")) {
                greedy.sendMore("");
                greedy.send(request(id, "hold"));
            }

            assertThat(greedy.recv()).isEmpty();
            assertThat(refused(greedy.recv()).code()).isEqualTo("POOL_FULL");
            assertThat(ask(client(SocketType.REQ, url), "other")).isEqualTo("other");
            handler.release("a");
            assertThat(greedy.recv()).isEmpty();
            assertThat(answered(greedy.recv())).isEqualTo("a");
            greedy.sendMore("");
            greedy.send(request("d", "now"));
            assertThat(greedy.recv()).isEmpty();
            assertThat(answered(greedy.recv())).isEqualTo("d");
        }
        assertThat(events.rejections(Rejection.OVERLOADED)).isOne();
    }

    @Test
    void theServerAsAWholeTakesOnlySoMany() {
        var settings = new RequestServer.Settings("127.0.0.1", 0, 3, 2);
        try (var limited = new RequestServer(sockets, settings, handler)) {
            String url = "tcp://127.0.0.1:" + limited.port();
            for (String id : List.of("a", "b", "c")) {
                client(SocketType.REQ, url).send(request(id, "hold"));
            }
            await().until(() -> handler.arrived.size() == 3);
            ZMQ.Socket fourth = client(SocketType.REQ, url);

            fourth.send(request("d", "now"));

            assertThat(refused(fourth.recv()).code()).isEqualTo("POOL_FULL");
        }
    }

    @Test
    void aReplyToAPeerThatIsGoneIsDropped() {
        ZMQ.Socket gone = client(SocketType.DEALER);
        gone.sendMore("");
        gone.send(request("gone", "hold"));
        await().until(() -> handler.arrived.contains("gone"));

        gone.close();
        handler.release("gone");

        assertThat(ask(client(SocketType.REQ), "next")).isEqualTo("next");
        assertThat(server.alive()).isTrue();
    }

    @Test
    void aClientThatKeepsItsIdentityIsServedAfterItReconnects() {
        for (String id : List.of("one", "two")) {
            ZMQ.Socket req = foreign.createSocket(SocketType.REQ);
            req.setIdentity("me".getBytes(StandardCharsets.UTF_8));
            Foreign.connect(req, "tcp://127.0.0.1:" + server.port());

            assertThat(ask(req, id)).isEqualTo(id);
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() throws IOException {
        try (var taken = new ServerSocket(0)) {
            int port = taken.getLocalPort();

            assertThatThrownBy(() -> new RequestServer(sockets, "127.0.0.1", port, handler))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("port %d on 127.0.0.1 cannot be bound: ".formatted(port));
        }
        assertThatThrownBy(() -> new RequestServer(sockets, "no.such.host.invalid", 1, handler))
                .hasMessageContaining("port 1 on no.such.host.invalid cannot be bound: no such host");
        assertThatThrownBy(() -> new RequestServer(sockets, "192.0.2.1", 0, handler))
                .hasMessageContaining("port 0 on 192.0.2.1 cannot be bound: ");
    }

    @Test
    void ipv6IsServed() {
        try (var v6 = new RequestServer(sockets, "::1", 0, handler);
                var any = new RequestServer(sockets, "::", 0, handler)) {
            assertThat(ask(client(SocketType.REQ, "tcp://[::1]:" + v6.port()), "v6"))
                    .isEqualTo("v6");
            assertThat(ask(client(SocketType.REQ, "tcp://[::1]:" + any.port()), "any"))
                    .isEqualTo("any");
            assertThat(ask(client(SocketType.REQ, "tcp://127.0.0.1:" + any.port()), "v4"))
                    .isEqualTo("v4");
        }
    }

    @Test
    void aServerThatComesBackOnItsPortServesTheSameClients() {
        ZMQ.Socket req = client(SocketType.REQ);
        assertThat(ask(req, "before")).isEqualTo("before");
        int port = server.port();

        server.close();
        try (var again = new RequestServer(sockets, "127.0.0.1", port, handler)) {
            assertThat(again.port()).isEqualTo(port);
            assertThat(ask(req, "after")).isEqualTo("after");
        }
    }

    @Test
    void closingInterruptsWhatIsUnderWay() {
        client(SocketType.REQ).send(request("held", "hold"));
        await().until(() -> handler.arrived.contains("held"));

        server.close();

        assertThat(handler.interrupted).hasValue(1);
        assertThat(server.alive()).isFalse();
        server.close();
    }

    @Test
    void closingDoesNotWaitForARequestThatIgnoresItsInterrupt() {
        var stubborn = new StubbornPort();
        var port = new RequestServer(sockets, "127.0.0.1", 0, stubborn);
        client(SocketType.REQ, "tcp://127.0.0.1:" + port.port()).send("anything");
        await().until(() -> stubborn.busy);
        long before = System.nanoTime();

        port.close();

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
        stubborn.busy = false;
    }

    private static final class StubbornPort implements RequestServer.Handler {

        private volatile boolean busy;

        @Override
        public Supplier<byte[]> accept(byte[] payload) {
            busy = true;
            return () -> {
                while (busy) {
                    Thread.onSpinWait();
                }
                return payload;
            };
        }

        @Override
        public byte[] failure(Throwable cause) {
            return new byte[0];
        }
    }

    @Test
    void manyClientsAreServedAtOnce() {
        List<ZMQ.Socket> clients = new ArrayList<>();
        IntStream.range(0, 100).forEach(_ -> clients.add(client(SocketType.REQ)));

        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < clients.size(); i++) {
                clients.get(i).send(request("r" + i, "now"));
            }
            for (int i = 0; i < clients.size(); i++) {
                assertThat(answered(clients.get(i).recv())).isEqualTo("r" + i);
            }
        }
    }

    @Test
    void theLoopTellsThatItIsWell() {
        long before = System.nanoTime();

        await().until(() -> server.lastTickNanos() - before > 0);

        assertThat(server.alive()).isTrue();
        assertThat(sockets.alive()).isTrue();
    }

    @Test
    void theErrorOfABoundPortHasACode() {
        assertThatThrownBy(() -> new RequestServer(sockets, "127.0.0.1", server.port(), handler))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL));
    }
}
