package dev.tandem.transfer.wire;

import org.zeromq.ZEvent;
import org.zeromq.ZMQ;
import org.zeromq.ZMonitor;

/**
 * Tells whether a connecting socket's peer is really there: greeted, not only reached. On ZeroMQ's own thread, so be
 * quick.
 *
 * <p>JeroMQ takes messages for a connection as soon as it is made. In one of some fifty cases it then forgets to wait
 * for that connection (both ends of its connecting are in one set, and it may cancel the new one for the old one), so
 * that the greeting never happens; what was given to it is lost when it tries again. So nothing is given to a
 * connection before its greeting, and a greeting that does not come is soon given up.
 */
interface Link {

    /** How long a greeting may take at first; it is one round trip. */
    int GREETING_MILLIS = 250;

    int MAX_GREETING_MILLIS = 4_000;

    int RECONNECT_MILLIS = 20;
    int MAX_RECONNECT_MILLIS = 1_000;

    /** @param up false when the connection is lost */
    void changed(boolean up);

    /** Prepares a socket that is to connect. What it cannot send at once to a connected peer it does not take. */
    static void prepare(ZMQ.Socket socket, Endpoint endpoint, Link link) {
        socket.setIPv6(endpoint.ipv6());
        // false means what libzmq calls IMMEDIATE: nothing is queued for a peer that is not connected
        socket.setImmediate(false);
        socket.setHandshakeIvl(GREETING_MILLIS);
        socket.setReconnectIVL(RECONNECT_MILLIS);
        socket.setReconnectIVLMax(MAX_RECONNECT_MILLIS);
        ZEvent.ZEventConsummer events = event -> link.changed(event.getEvent() == ZMonitor.Event.HANDSHAKE_PROTOCOL);
        socket.setEventHook(events, ZMQ.EVENT_HANDSHAKE_PROTOCOL | ZMQ.EVENT_DISCONNECTED);
    }
}
