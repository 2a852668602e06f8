package dev.tandem.transfer.wire;

import java.time.Duration;

import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

/** A notification on its way to a foreign proxy. It knows how old it is, and whether it was sent. */
final class Notice extends ZMsg {

    private final long madeNanos = System.nanoTime();
    private volatile boolean sent;

    /** One that says nothing. */
    Notice() {}

    Notice(byte[] payload) {
        add(payload);
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - madeNanos);
    }

    boolean sent() {
        return sent;
    }

    /** Called by those who do not look at the outcome. */
    @Override
    public boolean send(ZMQ.Socket socket, boolean destroy) {
        sent = super.send(socket, destroy);
        return sent;
    }
}
