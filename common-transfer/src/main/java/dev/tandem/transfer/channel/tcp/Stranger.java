package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.BiConsumer;

/** A socket that has not said who it is yet. Costs no thread; is closed when its time is up. */
final class Stranger implements IdleSockets.Timed {

    private final SocketChannel socket;
    private final IdleSockets idle;
    private final long lateAtNanos;
    private final BiConsumer<Stranger, ByteBuffer> said;
    private final ByteBuffer hello = ByteBuffer.allocate(Hello.BYTES);

    /** @param said gets the whole hello, or an incomplete one when the stranger is gone */
    Stranger(SocketChannel socket, IdleSockets idle, long patienceNanos, BiConsumer<Stranger, ByteBuffer> said) {
        this.socket = socket;
        this.idle = idle;
        this.lateAtNanos = System.nanoTime() + patienceNanos;
        this.said = said;
    }

    SocketChannel socket() {
        return socket;
    }

    void watch() {
        idle.watch(socket, SelectionKey.OP_READ, this::read);
    }

    private void read() {
        try {
            int count = socket.read(hello);
            if (count >= 0 && hello.hasRemaining()) {
                watch();
                return;
            }
        } catch (IOException e) {
            TcpConnection.closeQuietly(socket);
        }
        said.accept(this, hello.flip());
    }

    @Override
    public void look(long nowNanos) {
        if (lateAtNanos - nowNanos < 0) {
            TcpConnection.closeQuietly(socket);
            said.accept(this, hello.flip());
        }
    }
}
