package dev.tandem.transfer.wire;

import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.integration.zeromq.outbound.ZeroMqMessageHandler;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

import dev.tandem.transfer.Deadline;

/**
 * Tells foreign proxies that a request's KV is there, or is not: PUSH, one ProxyNotif for each rank, nothing else.
 *
 * <p>Nothing is kept for a proxy that comes back, since its ids begin at 1 again and an old one would release the wrong
 * request: what cannot be sent at once is dropped and counted. Only before the first connection a notification waits for
 * it, {@link #PATIENCE} at most.
 *
 * <p>Thread-safe; never blocks its callers.
 */
public final class KvReadyNotifier implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(KvReadyNotifier.class);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration REOPEN_AFTER = Duration.ofSeconds(10);
    private static final Duration CLOSE_TIME = Duration.ofSeconds(2);
    private static final int MAX_WAITING = 1_000;
    private static final int HIGH_WATER_MARK = 256;

    /** The socket hears of its connection a moment after we do. */
    private static final int SEND_MILLIS = 20;

    private final ZmqSockets sockets;
    private final BeanFactory beans;
    private final MessageCodec codec = new MessageCodec();
    private final LongAdder dropped = new LongAdder();
    private final Map<String, ProxyLine> byTarget = new HashMap<>();
    private boolean closed;

    public KvReadyNotifier(ZmqSockets sockets, BeanFactory beans) {
        this.sockets = sockets;
        this.beans = beans;
        sockets.adopt(this);
    }

    /** Notifications that were not sent. */
    public long dropped() {
        return dropped.sum();
    }

    /** Notifications that have neither been sent nor dropped yet. */
    synchronized int waiting() {
        return byTarget.values().stream().mapToInt(line -> line.waiting.size()).sum();
    }

    /**
     * Sends a notification if the proxy is connected. The first to a target begins to connect.
     *
     * @param target {@code host:port}; an IPv6 address in brackets
     * @throws IllegalArgumentException when the target is not of that form
     */
    public void send(String target, Notification.ProxyNotif notification) {
        @Nullable ProxyLine line = line(target);
        if (line == null || !line.waiting.offer(new Notice(codec.encode(notification)))) {
            drop();
        }
    }

    private synchronized @Nullable ProxyLine line(String target) {
        return closed ? null : byTarget.computeIfAbsent(target, ProxyLine::new);
    }

    private void drop() {
        dropped.increment();
        sockets.events().notificationDropped();
    }

    private static byte[] refuseToMap(Message<?> message) {
        throw new IllegalArgumentException("not a notice: " + message);
    }

    /** Drops what waits and closes the sockets, within a few seconds. Idempotent. */
    @Override
    public void close() {
        sockets.release(this);
        List<ProxyLine> lines;
        synchronized (this) {
            closed = true;
            lines = List.copyOf(byTarget.values());
            byTarget.clear();
        }
        lines.forEach(ProxyLine::close);
    }

    /** The way to one proxy: a virtual thread that takes one notification after the other. */
    private final class ProxyLine {

        private final BlockingQueue<Notice> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
        private final String target;
        private final String host;
        private final int port;
        private final Thread thread;
        private volatile boolean ended;
        private @Nullable ZeroMqMessageHandler handler;
        private long openedNanos = System.nanoTime();
        private long goneNanos = openedNanos;
        private boolean linked;
        private boolean everSent;
        private boolean reachable = true;

        ProxyLine(String target) {
            int colon = target.lastIndexOf(':');
            if (colon < 1 || !target.substring(colon + 1).matches("\\d{1,5}")) {
                throw new IllegalArgumentException("KV-ready target '%s': not host:port".formatted(target));
            }
            this.target = target;
            this.host = target.substring(0, colon).replaceAll("^\\[|]$", "");
            this.port = Integer.parseInt(target.substring(colon + 1));
            this.thread = Thread.ofVirtual().name("kv-ready-" + target).start(this::run);
        }

        private void run() {
            try {
                while (!ended) {
                    deliver(waiting.take());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                closeHandler();
            }
        }

        private void deliver(Notice notice) throws InterruptedException {
            if (!notice.isEmpty()) {
                told(isFresh(notice) && push(notice));
            }
        }

        /** What was made before the proxy was seen to be gone is not for the one that comes back. */
        private boolean isFresh(Notice notice) {
            Duration sinceGone = Duration.ofNanos(System.nanoTime() - goneNanos);
            return notice.age().compareTo(PATIENCE) < 0
                    && (!everSent || notice.age().compareTo(sinceGone) < 0);
        }

        private boolean push(Notice notice) throws InterruptedException {
            try {
                ZeroMqMessageHandler open = open();
                if (!awaitLink(everSent ? Duration.ZERO : PATIENCE.minus(notice.age()))) {
                    return false;
                }
                open.handleMessage(new GenericMessage<>(notice)).block(CLOSE_TIME);
                everSent |= notice.sent();
                return notice.sent();
            } catch (UnknownHostException | RuntimeException e) {
                log.debug("a KV-ready notification to {} failed", target, e);
                closeHandler();
                return false;
            }
        }

        private synchronized void linkChanged(boolean up) {
            linked = up;
            notifyAll();
        }

        private synchronized boolean awaitLink(Duration time) throws InterruptedException {
            Deadline deadline = Deadline.after(time);
            while (!linked && !ended && !deadline.hasPassed()) {
                TimeUnit.NANOSECONDS.timedWait(this, deadline.remainingNanos());
            }
            return linked;
        }

        private void told(boolean sent) {
            if (sent != reachable) {
                reachable = sent;
                if (sent) {
                    log.info("KV-ready notifications reach {} again", target);
                } else {
                    log.warn("KV-ready notifications to {} are dropped: it is not connected", target);
                }
            }
            if (!sent) {
                goneNanos = System.nanoTime();
                drop();
                reopenLater();
            }
        }

        /** The proxy may have another address by now. */
        private void reopenLater() {
            if (System.nanoTime() - openedNanos > REOPEN_AFTER.toNanos()) {
                closeHandler();
            }
        }

        private ZeroMqMessageHandler open() throws UnknownHostException {
            if (handler == null) {
                openedNanos = System.nanoTime();
                handler = connected(Endpoint.lookUp(host, port));
            }
            return handler;
        }

        private ZeroMqMessageHandler connected(Endpoint endpoint) {
            var fresh = new ZeroMqMessageHandler(sockets.context(), endpoint.url(), SocketType.PUSH);
            fresh.setSocketConfigurer(socket -> configure(socket, endpoint));
            fresh.setMessageMapper(KvReadyNotifier::refuseToMap);
            fresh.setBeanFactory(beans);
            fresh.afterPropertiesSet();
            fresh.start();
            return fresh;
        }

        private void configure(ZMQ.Socket socket, Endpoint endpoint) {
            socket.setLinger(0);
            socket.setSndHWM(HIGH_WATER_MARK);
            socket.setSendTimeOut(SEND_MILLIS);
            Link.prepare(socket, endpoint, this::linkChanged);
        }

        private void closeHandler() {
            if (handler != null) {
                handler.stop();
                handler.destroy();
                handler = null;
                linkChanged(false);
            }
        }

        /** Not by an interrupt: that could break a socket in the middle of what it does. */
        void close() {
            ended = true;
            linkChanged(false);
            waiting.clear();
            boolean _ = waiting.offer(new Notice());
            try {
                thread.join(CLOSE_TIME);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
