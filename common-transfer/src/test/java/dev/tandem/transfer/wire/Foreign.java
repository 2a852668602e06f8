package dev.tandem.transfer.wire;

import org.zeromq.ZMQ;

/** Connects plain sockets, which stand for foreign software. */
final class Foreign {

    private Foreign() {}

    static ZMQ.Socket connect(ZMQ.Socket socket, String url) {
        socket.setReceiveTimeOut(10_000);
        socket.setIPv6(url.contains("["));
        // JeroMQ now and then forgets a connection that it just made; this is when it tries again.
        socket.setHandshakeIvl(500);
        socket.connect(url);
        return socket;
    }
}
