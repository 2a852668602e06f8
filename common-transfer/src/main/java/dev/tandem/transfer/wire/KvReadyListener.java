package dev.tandem.transfer.wire;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.endpoint.MessageProducerSupport;
import org.springframework.messaging.support.GenericMessage;
import org.zeromq.SocketType;

import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.wire.WireEvents.Rejection;

/**
 * Hears from foreign engines that a request's KV is there, or is not: binds PULL and emits a message with a
 * {@link Notification.ProxyNotif} for each notification, in order of arrival.
 *
 * <p>A thread of its own waits for the socket and calls the output channel. What is not a ProxyNotif is dropped and
 * counted, and so is one whose handling fails; the listener ends by {@link #stop} alone.
 */
public final class KvReadyListener extends MessageProducerSupport {

    private static final Logger log = LoggerFactory.getLogger(KvReadyListener.class);
    private static final int MESSAGES_PER_TURN = 64;

    private final ZmqSockets sockets;
    private final BoundPort.Address address;
    private final MessageCodec codec = new MessageCodec();
    private volatile @Nullable BoundPort port;
    private volatile boolean lost;

    /**
     * Binds when it is started, which throws a {@link TransferException} that names address and port if it cannot.
     *
     * @param bindAddress name or address; an IPv6 address without brackets
     * @param port 0 takes any free port
     */
    public KvReadyListener(ZmqSockets sockets, String bindAddress, int port) {
        this.sockets = sockets;
        this.address = new BoundPort.Address(bindAddress, port);
    }

    /** The port that is bound; the one asked for while it is not started. */
    public int port() {
        BoundPort bound = port;
        return bound == null ? address.port() : bound.port();
    }

    /** Whether it is started and listens. */
    public boolean alive() {
        BoundPort bound = port;
        return bound != null && bound.alive() && !lost;
    }

    @Override
    protected void doStart() {
        lost = false;
        port = new BoundPort(sockets, SocketType.PULL, address, new Notifications());
    }

    @Override
    protected void doStop() {
        BoundPort bound = port;
        if (bound != null) {
            bound.close();
            port = null;
        }
    }

    /** What comes in. */
    private final class Notifications implements LoopSocket.Owner {

        @Override
        public boolean serve(LoopSocket socket) {
            for (int i = 0; i < MESSAGES_PER_TURN; i++) {
                if (!socket.readable()) {
                    return false;
                }
                take(socket.receive());
            }
            return true;
        }

        private void take(List<byte[]> frames) {
            try {
                if (frames.size() == 1
                        && frames.getFirst().length <= sockets.maxMessageBytes()
                        && codec.decodeNotification(frames.getFirst()) instanceof Notification.ProxyNotif notif) {
                    emit(notif);
                    return;
                }
            } catch (MalformedMessageException e) {
                log.debug("not a notification", e);
            }
            sockets.events().rejected(Rejection.MALFORMED);
        }

        private void emit(Notification.ProxyNotif notif) {
            try {
                sendMessage(new GenericMessage<>(notif));
            } catch (RuntimeException e) {
                log.warn("the notification for request {} could not be handled and is dropped", notif.reqId(), e);
                sockets.events().rejected(Rejection.FAILED);
            }
        }

        @Override
        public void lost(TransferException cause) {
            lost = true;
        }
    }
}
