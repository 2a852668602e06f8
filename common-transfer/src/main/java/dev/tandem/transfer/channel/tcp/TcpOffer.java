package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;

/** An armed rendezvous: collects the sockets that show its tag until it has as many as it wants of each role. */
final class TcpOffer implements Offer {

    private final Wanted wanted;
    private final TcpNode node;
    private final Consumer<TcpOffer> over;
    private final List<SocketChannel> served = new ArrayList<>();
    private final List<SocketChannel> driven = new ArrayList<>();
    private Optional<TcpConnection> connection = Optional.empty();
    private boolean handedOut;
    private boolean closed;

    /** Who is expected, and what is told to them. */
    record Wanted(String name, OfferMeta meta, int peerBatchEntries, MemoryGuard guard) {}

    /** @param over told, any number of times, when the tag is worth nothing any more */
    TcpOffer(Wanted wanted, TcpNode node, Consumer<TcpOffer> over) {
        this.wanted = wanted;
        this.node = node;
        this.over = over;
    }

    boolean admits(Tag tag) {
        return wanted.meta().tag().matches(tag);
    }

    /** Takes a socket that showed the tag. @return false if it is one too many; the caller closes it then */
    synchronized boolean take(SocketChannel socket, Hello.Role role) {
        List<SocketChannel> wanting = role == Hello.Role.CONNECTOR_DRIVES ? served : driven;
        int count = role == Hello.Role.CONNECTOR_DRIVES ? wanted.meta().sockets() : 1;
        if (closed || connection.isPresent() || wanting.size() == count || !confirm(socket)) {
            return false;
        }
        wanting.add(socket);
        if (served.size() == wanted.meta().sockets() && driven.size() == 1) {
            over.accept(this);
            var met = new Rendezvous(wanted.name(), driven, served, wanted.peerBatchEntries(), wanted.guard());
            connection = Optional.of(TcpConnection.open(met, node));
            served.clear();
            driven.clear();
            notifyAll();
        }
        return true;
    }

    /** One byte into an empty socket never blocks. */
    private static boolean confirm(SocketChannel socket) {
        try {
            socket.configureBlocking(true);
            return socket.write(ByteBuffer.wrap(new byte[] {Hello.ACCEPTED})) == 1;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public byte[] meta() {
        return wanted.meta().toBytes();
    }

    @Override
    public Connection accept(Deadline deadline) {
        try {
            return awaitConnection(deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChannelException(Reason.CLOSED, "%s: interrupted".formatted(wanted.name()), e);
        } finally {
            close();
        }
    }

    private synchronized Connection awaitConnection(Deadline deadline) throws InterruptedException {
        while (connection.isEmpty() && !closed) {
            long left = deadline.remainingNanos();
            if (left == 0) {
                throw new ChannelException(
                        Reason.TIMED_OUT, "%s: the peer did not connect in time".formatted(wanted.name()));
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        if (closed) {
            throw new ChannelException(Reason.CLOSED, "%s: the offer was withdrawn".formatted(wanted.name()));
        }
        handedOut = true;
        return connection.orElseThrow();
    }

    @Override
    public void close() {
        over.accept(this);
        if (giveUp()) {
            connection.ifPresent(TcpConnection::close);
            served.forEach(DataPort::close);
            driven.forEach(DataPort::close);
        }
    }

    /** @return whether what has come so far belongs to nobody; no more will come */
    private synchronized boolean giveUp() {
        boolean first = !closed;
        closed = true;
        notifyAll();
        return first && !handedOut;
    }
}
