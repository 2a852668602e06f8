package dev.tandem.transfer.wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.integration.context.IntegrationContextUtils;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class KvReadyNotifierIT {

    private final CountedEvents events = new CountedEvents();
    private final ZmqSockets sockets = new ZmqSockets(events, 4096);
    private final KvReadyNotifier notifier = new KvReadyNotifier(sockets, beans());
    private final MessageCodec codec = new MessageCodec();

    /** As much of Spring Integration's infrastructure as its handler asks for. */
    private static BeanFactory beans() {
        var beans = new DefaultListableBeanFactory();
        beans.registerSingleton(
                IntegrationContextUtils.INTEGRATION_EVALUATION_CONTEXT_BEAN_NAME, new StandardEvaluationContext());
        return beans;
    }

    @AfterEach
    void closeAll() {
        notifier.close();
        sockets.close();
    }

    /** A proxy that reads when the test says so. */
    private final class Proxy implements AutoCloseable {

        private final ZContext context = new ZContext();
        private final ZMQ.Socket pull = context.createSocket(SocketType.PULL);
        private final int port;

        Proxy(int wanted) {
            pull.setRcvHWM(1);
            pull.setReceiveBufferSize(4096);
            pull.setReceiveTimeOut(10_000);
            pull.bind("tcp://127.0.0.1:" + (wanted == 0 ? "*" : String.valueOf(wanted)));
            String bound = pull.getLastEndpoint();
            port = Integer.parseInt(bound.substring(bound.lastIndexOf(':') + 1));
        }

        String target() {
            return "127.0.0.1:" + port;
        }

        byte @Nullable [] next() {
            return pull.recv();
        }

        String nextId() {
            return id(pull.recv());
        }

        /** Ids of all that come until nothing came for a while. */
        List<String> rest() {
            pull.setReceiveTimeOut(300);
            var ids = new ArrayList<String>();
            for (byte[] frame; (frame = pull.recv()) != null; ) {
                ids.add(id(frame));
            }
            return ids;
        }

        boolean isReadable() {
            return (pull.getEvents() & ZMQ.Poller.POLLIN) != 0;
        }

        private String id(byte[] frame) {
            return ((Notification.ProxyNotif) codec.decodeNotification(frame)).reqId();
        }

        @Override
        public void close() {
            context.close();
        }
    }

    private static Notification.ProxyNotif notif(String id) {
        return new Notification.ProxyNotif(id, true, "", -1);
    }

    @Test
    void aProxyGetsWhatUpstreamWouldSend() {
        try (var proxy = new Proxy(0)) {
            notifier.send(proxy.target(), notif("1"));

            assertThat(proxy.next())
                    .isEqualTo(HexFormat.of().parseHex("82a474797065aa50726f78794e6f746966a67265715f6964a131"));
        }
    }

    @Test
    void theFirstNotificationsWaitForTheConnection() {
        int port;
        try (var proxy = new Proxy(0)) {
            port = proxy.port;
        }
        notifier.send("127.0.0.1:" + port, notif("1"));
        notifier.send("127.0.0.1:" + port, notif("2"));

        try (var proxy = new Proxy(port)) {
            assertThat(proxy.nextId()).isEqualTo("1");
            assertThat(proxy.nextId()).isEqualTo("2");
        }
    }

    @Test
    void aProxyThatComesBackHearsNothingOld() {
        // Given a proxy that stopped reading, so that its buffers and the sender's queue are full, and went
        int port;
        String old = "old".repeat(1_000);
        try (var proxy = new Proxy(0)) {
            port = proxy.port;
            notifier.send(proxy.target(), notif("first"));
            assertThat(proxy.nextId()).isEqualTo("first");
            for (int i = 0; i < 100_000 && notifier.dropped() < 10; i++) {
                notifier.send(proxy.target(), notif(old));
            }
            assertThat(notifier.dropped()).isPositive();
        }
        await().until(() -> notifier.waiting() == 0);
        untilOneIsDropped(port);

        try (var proxy = new Proxy(port)) {
            // When
            untilOneIsSent(proxy);
            notifier.send(proxy.target(), notif("last"));

            // Then
            assertThat(proxy.rest()).contains("last").doesNotContain(old, "gone");
        }
    }

    private void untilOneIsDropped(int port) {
        long before = notifier.dropped();
        await().until(() -> {
            notifier.send("127.0.0.1:" + port, notif("gone"));
            return notifier.dropped() > before;
        });
        await().until(() -> notifier.waiting() == 0);
    }

    private void untilOneIsSent(Proxy proxy) {
        await().until(() -> {
            notifier.send(proxy.target(), notif("new"));
            return proxy.isReadable();
        });
    }

    @Test
    void tenThousandNotificationsIntoNothingCostNothing() {
        long before = System.nanoTime();

        for (int i = 0; i < 10_000; i++) {
            notifier.send("127.0.0.1:1", notif(String.valueOf(i)));
        }

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
        await().untilAsserted(() -> assertThat(notifier.dropped()).isEqualTo(10_000));
        assertThat(events.droppedNotifications).hasValue(10_000);
    }

    @Test
    void oneProxyThatIsGoneDelaysNoOther() {
        try (var proxy = new Proxy(0)) {
            for (int i = 0; i < 100; i++) {
                notifier.send("127.0.0.1:1", notif("lost"));
                notifier.send("no.such.host.invalid:1", notif("lost"));
            }
            notifier.send(proxy.target(), notif("1"));

            assertThat(proxy.nextId()).isEqualTo("1");
        }
        await().untilAsserted(() -> assertThat(notifier.dropped()).isEqualTo(200));
    }

    @Test
    void aTargetMustBeHostAndPort() {
        for (String target : List.of("", "host", ":1", "host:", "host:port", "tcp:host")) {
            assertThatThrownBy(() -> notifier.send(target, notif("1")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not host:port");
        }
    }

    @Test
    void closingDropsWhatWaitsAndIsQuick() {
        for (int i = 0; i < 10; i++) {
            notifier.send("127.0.0.1:1", notif("lost"));
        }
        long before = System.nanoTime();

        notifier.close();

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
        notifier.send("127.0.0.1:1", notif("after"));
        assertThat(notifier.dropped()).isPositive();
        notifier.close();
    }
}
