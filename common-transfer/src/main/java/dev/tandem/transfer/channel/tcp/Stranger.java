package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/** A socket that has not said who it is yet. Costs no thread. Lives on the watching thread. */
final class Stranger {

    private final SocketChannel socket;
    private final IdleSockets idle;
    private final Consumer<Stranger> spoke;
    private final long lateAtNanos;
    private final ByteBuffer hello = ByteBuffer.allocate(Hello.BYTES);

    /** @param spoke told when the whole hello is there, or never will be */
    Stranger(SocketChannel socket, IdleSockets idle, long patienceNanos, Consumer<Stranger> spoke) {
        this.socket = socket;
        this.idle = idle;
        this.spoke = spoke;
        this.lateAtNanos = System.nanoTime() + patienceNanos;
    }

    SocketChannel socket() {
        return socket;
    }

    boolean late(long nowNanos) {
        return lateAtNanos - nowNanos < 0;
    }

    /** Not complete where the stranger left before. */
    ByteBuffer hello() {
        return hello.duplicate().flip();
    }

    void listen() {
        idle.watch(socket, SelectionKey.OP_READ, this::read);
    }

    private void read() {
        if (readSome() && hello.hasRemaining()) {
            listen();
        } else {
            spoke.accept(this);
        }
    }

    private boolean readSome() {
        try {
            return socket.read(hello) >= 0;
        } catch (IOException e) {
            return false;
        }
    }
}
