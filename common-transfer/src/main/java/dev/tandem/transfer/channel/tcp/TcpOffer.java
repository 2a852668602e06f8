package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;

/** An armed rendezvous: collects the sockets that show its tag until it has as many as it wants of each role. */
final class TcpOffer implements Offer {

    private final String name;
    private final OfferMeta meta;
    private final TcpEnvironment environment;
    private final MemoryGuard guard;
    private final Consumer<TcpOffer> over;
    private final List<SocketChannel> served = new ArrayList<>();
    private final List<SocketChannel> driven = new ArrayList<>();
    private final CompletableFuture<TcpConnection> outcome = new CompletableFuture<>();

    TcpOffer(String name, OfferMeta meta, TcpEnvironment environment, MemoryGuard guard, Consumer<TcpOffer> over) {
        this.name = name;
        this.meta = meta;
        this.environment = environment;
        this.guard = guard;
        this.over = over;
    }

    boolean admits(Tag tag) {
        return meta.tag().matches(tag);
    }

    /** Takes a socket that showed the tag, or closes it if it is one too many. */
    synchronized void take(SocketChannel socket, Hello.Role role) {
        List<SocketChannel> wanting = role == Hello.Role.CONNECTOR_DRIVES ? served : driven;
        int wanted = role == Hello.Role.CONNECTOR_DRIVES ? meta.drivingSockets() : 1;
        if (outcome.isDone() || wanting.size() == wanted || !confirm(socket)) {
            TcpConnection.closeQuietly(socket);
            return;
        }
        wanting.add(socket);
        if (served.size() == meta.drivingSockets() && driven.size() == 1) {
            over.accept(this);
            var connection = new TcpConnection(name, environment, driven, served, guard);
            environment.connections().add(connection);
            if (!outcome.complete(connection)) {
                connection.close();
            }
        }
    }

    private static boolean confirm(SocketChannel socket) {
        try {
            socket.configureBlocking(true);
            socket.write(ByteBuffer.wrap(new byte[] {Hello.ACCEPTED}));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public byte[] meta() {
        return meta.toBytes();
    }

    @Override
    public Connection accept(Deadline deadline) {
        try {
            return outcome.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            close();
            throw new ChannelException(Reason.TIMED_OUT, "%s: the peer did not connect in time".formatted(name), e);
        } catch (ExecutionException e) {
            throw new ChannelException(Reason.CLOSED, "%s: the offer was withdrawn".formatted(name), e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new ChannelException(Reason.CLOSED, "%s: interrupted".formatted(name), e);
        }
    }

    @Override
    public void close() {
        over.accept(this);
        if (outcome.completeExceptionally(new ChannelException(Reason.CLOSED, "%s: withdrawn".formatted(name)))) {
            synchronized (this) {
                served.forEach(TcpConnection::closeQuietly);
                driven.forEach(TcpConnection::closeQuietly);
            }
        }
    }
}
