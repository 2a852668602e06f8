package dev.tandem.transfer.channel.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

import dev.tandem.transfer.channel.Pair;

/** A socket that speaks the wire by hand, rightly or wrongly. */
record RawSocket(Socket socket) implements AutoCloseable {

    RawSocket {
        try {
            socket.setSoTimeout(Math.toIntExact(Pair.SOON.toMillis()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RawSocket to(int port) {
        try {
            return new RawSocket(new Socket(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RawSocket send(ByteBuffer bytes) {
        try {
            socket.getOutputStream().write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RawSocket send(byte... bytes) {
        return send(ByteBuffer.wrap(bytes));
    }

    ByteBuffer receive(int bytes) {
        try {
            byte[] received = socket.getInputStream().readNBytes(bytes);
            if (received.length < bytes) {
                throw new EOFException("ended after %d of %d bytes".formatted(received.length, bytes));
            }
            return ByteBuffer.wrap(received);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the other side's end; what it said before is skipped. */
    boolean ended() {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Whether the other side has neither ended nor spoken so far. */
    boolean quiet() {
        try {
            socket.setSoTimeout(1);
            socket.getInputStream().read();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends at once; the other side gets a reset. */
    void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
