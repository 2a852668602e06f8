package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Pair;

/** A data port that answers by hand. */
record RawPort(ServerSocket listener) implements AutoCloseable {

    static RawPort open() {
        try {
            return new RawPort(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An offer for one driving socket and the reverse one. */
    byte[] meta() {
        return new OfferMeta("127.0.0.1", listener.getLocalPort(), 1, 16, Tag.random()).toBytes();
    }

    RawSocket accept() {
        try {
            return new RawSocket(listener.accept());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RawSocket admit() {
        RawSocket socket = accept();
        socket.receive(Hello.BYTES);
        return socket.send(Hello.ACCEPTED);
    }

    /** Lets a sender connect. */
    Met meet(TcpChannel sender) {
        FutureTask<List<RawSocket>> admitted = Pair.onThread(() -> {
            var sockets = new ArrayList<RawSocket>();
            sockets.add(admit());
            sockets.add(admit());
            return sockets;
        });
        Connection connected = sender.connect(Pair.name(), meta(), MemoryGuard.CLOSED, Pair.soon());
        List<RawSocket> sockets = Pair.result(admitted);
        return new Met(connected, sockets.getFirst(), sockets.getLast());
    }

    /** A real sender's connection and the two sockets at this end. */
    record Met(Connection sender, RawSocket served, RawSocket reverse) implements AutoCloseable {

        /** Answers the batch whose header has come. */
        void answer(int magic, int status, long sequence, int where, int what) {
            served.send(ByteBuffer.allocate(Answer.BYTES)
                    .putInt(magic)
                    .putInt(status)
                    .putLong(sequence)
                    .putInt(where)
                    .putInt(what)
                    .flip());
        }

        @Override
        public void close() {
            sender.close();
            served.close();
            reverse.close();
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
