package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.tandem.transfer.Deadline;

/** Opens sockets to a data port and shows its tag. Blocks; thread-safe. */
final class Dialer implements IdleSockets.Ticked {

    private final Traffic traffic;
    private final Set<BatchSocket> dialing = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Dialer(Traffic traffic) {
        this.traffic = traffic;
    }

    /**
     * Finds a host's addresses. The system's resolver knows no deadline, so it runs on a thread of its own.
     *
     * @throws IOException when there are none, or not by the deadline
     */
    static InetAddress[] addresses(String host, Deadline deadline) throws IOException {
        var lookup = new FutureTask<>(() -> InetAddress.getAllByName(host));
        Thread.ofPlatform().daemon().name("tcp-resolve").start(lookup);
        try {
            return lookup.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            var unknown = new UnknownHostException(host);
            unknown.initCause(e);
            throw unknown;
        }
    }

    /**
     * Opens one socket, to the first address that takes it.
     *
     * @return in blocking mode; the caller closes it
     */
    SocketChannel dial(InetAddress[] addresses, int port, Hello hello, Deadline deadline) throws IOException {
        IOException failure = new UnknownHostException("no address");
        for (int i = 0; i < addresses.length; i++) {
            Duration share = deadline.remaining().dividedBy(addresses.length - i);
            try {
                return dial(new InetSocketAddress(addresses[i], port), hello, deadline.atMost(share));
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private SocketChannel dial(InetSocketAddress address, Hello hello, Deadline deadline) throws IOException {
        var socket = new BatchSocket(SocketChannel.open(), traffic);
        boolean accepted = false;
        dialing.add(socket);
        try {
            socket.closeAt(System.nanoTime() + deadline.remainingNanos());
            requireOpen();
            socket.channel().connect(address);
            DataPort.configure(socket.channel());
            socket.writeAll(hello.toBytes());
            ByteBuffer answer = ByteBuffer.allocate(1);
            socket.readAll(answer);
            accepted = answer.get(0) == Hello.ACCEPTED;
            if (!accepted) {
                throw new IOException("%s did not accept the tag".formatted(address));
            }
            return socket.channel();
        } finally {
            dialing.remove(socket);
            if (!accepted) {
                socket.close();
            }
        }
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("the channel is closed");
        }
    }

    @Override
    public void tick(long nowNanos) {
        dialing.forEach(socket -> socket.closeIfLate(nowNanos));
    }

    /** Ends what is under way. */
    void close() {
        closed = true;
        dialing.forEach(BatchSocket::close);
    }
}
