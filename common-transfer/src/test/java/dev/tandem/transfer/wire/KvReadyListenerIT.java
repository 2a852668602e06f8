package dev.tandem.transfer.wire;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.integration.channel.DirectChannel;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.wire.WireEvents.Rejection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class KvReadyListenerIT {

    private final CountedEvents events = new CountedEvents();
    private final ZmqSockets sockets = new ZmqSockets(events, 4096);
    private final ZContext foreign = new ZContext();
    private final MessageCodec codec = new MessageCodec();
    private final DirectChannel channel = new DirectChannel();
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private final KvReadyListener listener = listener("127.0.0.1", 0);

    @BeforeEach
    void start() {
        channel.subscribe(message -> {
            String id = ((Notification.ProxyNotif) message.getPayload()).reqId();
            if (id.equals("fail")) {
                throw new IllegalStateException("asked to fail");
            }
            heard.add(id);
        });
        listener.start();
    }

    @AfterEach
    void closeAll() {
        foreign.close();
        listener.stop();
        sockets.close();
    }

    private KvReadyListener listener(String address, int port) {
        var made = new KvReadyListener(sockets, address, port);
        made.setOutputChannel(channel);
        made.setBeanFactory(new DefaultListableBeanFactory());
        made.afterPropertiesSet();
        return made;
    }

    private ZMQ.Socket sender(String url) {
        return Foreign.connect(foreign.createSocket(SocketType.PUSH), url);
    }

    private ZMQ.Socket sender() {
        return sender("tcp://127.0.0.1:" + listener.port());
    }

    private byte[] notif(String id) {
        return codec.encode(new Notification.ProxyNotif(id, true, "", -1));
    }

    @Test
    void notificationsComeOutInTheOrderTheyCame() {
        ZMQ.Socket push = sender();
        List<String> ids = IntStream.range(0, 2_000).mapToObj(String::valueOf).toList();

        ids.forEach(id -> push.send(notif(id)));

        await().until(() -> heard.size() == ids.size());
        assertThat(heard).containsExactlyElementsOf(ids);
    }

    @Test
    void whatIsNoNotificationOfOursIsDroppedAndCounted() {
        ZMQ.Socket push = sender();

        push.send(new byte[0]);
        push.send("junk".getBytes(StandardCharsets.UTF_8));
        push.send(new byte[5_000]);
        push.send(codec.encode(new Notification.PullDone("p", true, "")));
        push.send(codec.encode(new HandshakeRequest.Ready("me", 0, "")));
        push.sendMore(notif("two"));
        push.send(notif("frames"));
        push.send(notif("good"));

        await().until(() -> heard.contains("good"));
        assertThat(heard).containsExactly("good");
        assertThat(events.rejections(Rejection.MALFORMED)).isEqualTo(6);
    }

    @Test
    void aHandlerThatFailsDoesNotEndTheListener() {
        ZMQ.Socket push = sender();

        push.send(notif("fail"));
        push.send(notif("good"));

        await().until(() -> heard.contains("good"));
        assertThat(events.rejections(Rejection.FAILED)).isOne();
        assertThat(listener.alive()).isTrue();
    }

    @Test
    void aListenerThatComesBackHearsTheSameSenders() {
        ZMQ.Socket push = sender();
        push.send(notif("before"));
        await().until(() -> heard.contains("before"));
        int port = listener.port();

        listener.stop();
        assertThat(listener.alive()).isFalse();
        KvReadyListener again = listener("127.0.0.1", port);
        again.start();

        push.send(notif("after"));
        await().until(() -> heard.contains("after"));
        again.stop();
    }

    @Test
    void aPortThatIsTakenIsNamed() throws IOException {
        try (var taken = new ServerSocket(0)) {
            KvReadyListener late = listener("127.0.0.1", taken.getLocalPort());

            assertThatThrownBy(late::start)
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("port %d on 127.0.0.1 cannot be bound".formatted(taken.getLocalPort()));
            assertThat(late.alive()).isFalse();
            assertThat(late.isRunning()).isFalse();
        }
    }

    @Test
    void ipv6IsHeard() {
        KvReadyListener v6 = listener("::1", 0);
        v6.start();

        sender("tcp://[::1]:" + v6.port()).send(notif("v6"));

        await().until(() -> heard.contains("v6"));
        v6.stop();
    }
}
