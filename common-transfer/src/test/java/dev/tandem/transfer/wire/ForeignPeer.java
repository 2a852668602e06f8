package dev.tandem.transfer.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** The other end of a client, frame by frame: a ROUTER socket that answers what and when the test says. */
final class ForeignPeer implements AutoCloseable {

    private final ZContext context = new ZContext();
    private final ZMQ.Socket router = context.createSocket(SocketType.ROUTER);
    private final MessageCodec codec = new MessageCodec();
    private final int port;

    /** What came: who sent it, the frames up to the empty one, and the payload. */
    record Asked(byte[] identity, List<byte[]> envelope, byte[] payload) {
        String peer() {
            return new String(identity, StandardCharsets.ISO_8859_1);
        }
    }

    ForeignPeer(int wanted) {
        router.setReceiveTimeOut(10_000);
        router.bind("tcp://127.0.0.1:" + (wanted == 0 ? "*" : String.valueOf(wanted)));
        String bound = router.getLastEndpoint();
        port = Integer.parseInt(bound.substring(bound.lastIndexOf(':') + 1));
    }

    int port() {
        return port;
    }

    Asked next() {
        byte[] identity = router.recv();
        var envelope = new ArrayList<byte[]>();
        do {
            envelope.add(router.recv());
        } while (envelope.getLast().length > 0);
        return new Asked(identity, envelope, router.recv());
    }

    /** The id of the abort that came. */
    String id(Asked asked) {
        return ((TransferRequest.Abort) codec.decodeTransferRequest(asked.payload())).transferId();
    }

    void answer(Asked asked, String message) {
        answer(asked, codec.encode(new TransferReply.Abort(true, "", message)));
    }

    void answer(Asked asked, byte[]... payload) {
        router.sendMore(asked.identity());
        asked.envelope().forEach(router::sendMore);
        for (int i = 0; i < payload.length; i++) {
            router.send(payload[i], i < payload.length - 1 ? ZMQ.SNDMORE : 0);
        }
    }

    /** Whether anything comes within {@code millis}. */
    boolean silentFor(int millis) {
        router.setReceiveTimeOut(millis);
        boolean silent = router.recv() == null;
        router.setReceiveTimeOut(10_000);
        return silent;
    }

    @Override
    public void close() {
        context.close();
    }
}
