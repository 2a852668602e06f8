package dev.tandem.transfer.channel.tcp;

import java.util.ArrayList;
import java.util.List;

import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.Pair;

/**
 * A sender that shows a real tag and then speaks by hand.
 *
 * @param driving the sockets on which it sends batches
 * @param reverse the socket on which the receiver does
 * @param accepted the receiver's end
 */
record RawSender(List<RawSocket> driving, RawSocket reverse, Connection accepted) implements AutoCloseable {

    static RawSender to(TcpChannel receiver, MemoryGuard guard) {
        Offer offer = receiver.offer(Pair.name(), new Greeting(2, 16).toBytes(), guard);
        OfferMeta meta = OfferMeta.parse(offer.meta());
        List<RawSocket> driving = new ArrayList<>();
        for (int i = 0; i < meta.sockets(); i++) {
            driving.add(admitted(meta, Hello.Role.CONNECTOR_DRIVES));
        }
        RawSocket reverse = admitted(meta, Hello.Role.ACCEPTOR_DRIVES);
        return new RawSender(driving, reverse, offer.accept(Pair.soon()));
    }

    private static RawSocket admitted(OfferMeta meta, Hello.Role role) {
        RawSocket socket = RawSocket.to(meta.port()).send(new Hello(role, meta.tag()).toBytes());
        if (socket.receive(1).get(0) != Hello.ACCEPTED) {
            throw new AssertionError("not admitted");
        }
        return socket;
    }

    RawSocket first() {
        return driving.getFirst();
    }

    @Override
    public void close() {
        driving.forEach(RawSocket::close);
        reverse.close();
    }
}
