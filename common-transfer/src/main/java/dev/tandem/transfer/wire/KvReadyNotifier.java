package dev.tandem.transfer.wire;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.integration.zeromq.outbound.ZeroMqMessageHandler;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * Tells foreign proxies that a request's KV is there, or is not: PUSH, one ProxyNotif for each rank. Nothing is queued
 * over a reconnect, since such proxies count their ids from 1 again: what cannot be sent at once is dropped.
 *
 * <p>Thread-safe; waits for a first connection for a moment, never longer.
 */
public final class KvReadyNotifier implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int HIGH_WATER_MARK = 1000;

    private final ZmqSockets sockets;
    private final BeanFactory beans;
    private final MessageCodec codec = new MessageCodec();
    private final Map<String, ZeroMqMessageHandler> byTarget = new ConcurrentHashMap<>();

    public KvReadyNotifier(ZmqSockets sockets, BeanFactory beans) {
        this.sockets = sockets;
        this.beans = beans;
    }

    /**
     * Sends a notification if the proxy is connected.
     *
     * @param target {@code host:port}
     */
    public void send(String target, Notification.ProxyNotif notification) {
        Message<byte[]> message = new GenericMessage<>(codec.encode(notification));
        byTarget.computeIfAbsent(target, this::connect).handleMessage(message).block(PATIENCE.multipliedBy(2));
    }

    private ZeroMqMessageHandler connect(String target) {
        var handler = new ZeroMqMessageHandler(sockets.context(), "tcp://" + target, SocketType.PUSH);
        handler.setSocketConfigurer(KvReadyNotifier::configure);
        handler.setMessageMapper(message -> (byte[]) message.getPayload());
        handler.setBeanFactory(beans);
        handler.afterPropertiesSet();
        handler.start();
        return handler;
    }

    private static void configure(ZMQ.Socket socket) {
        socket.setLinger(0);
        socket.setSndHWM(HIGH_WATER_MARK);
        socket.setSendTimeOut((int) PATIENCE.toMillis());
        // false means what libzmq calls IMMEDIATE: queue for connected peers only
        socket.setImmediate(false);
    }

    @Override
    public void close() {
        byTarget.values().forEach(ZeroMqMessageHandler::destroy);
        byTarget.clear();
    }
}
