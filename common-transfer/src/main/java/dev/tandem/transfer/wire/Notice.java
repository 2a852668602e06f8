package dev.tandem.transfer.wire;

import java.time.Duration;

import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

/** A notification on its way to a foreign proxy. It knows how old it is, how long it may wait, and if it was sent. */
final class Notice extends ZMsg {

    private final long madeNanos = System.nanoTime();
    private volatile int waitMillis;
    private volatile boolean sent;

    /** One that says nothing. */
    Notice() {}

    Notice(byte[] payload) {
        add(payload);
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - madeNanos);
    }

    /** How long it may wait for a connection; zero sends it at once or not at all. */
    void mayWait(Duration time) {
        waitMillis = Math.toIntExact(Math.max(0, time.toMillis()));
    }

    boolean sent() {
        return sent;
    }

    /** Called on the socket's thread; whoever calls it does not look at the outcome. */
    @Override
    public boolean send(ZMQ.Socket socket, boolean destroy) {
        socket.setSendTimeOut(waitMillis);
        sent = super.send(socket, destroy);
        return sent;
    }
}
