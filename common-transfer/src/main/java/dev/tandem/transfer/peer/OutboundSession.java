package dev.tandem.transfer.peer;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.wire.Reply;
import dev.tandem.transfer.wire.RequestClient;
import dev.tandem.transfer.wire.TransferReply;
import dev.tandem.transfer.wire.TransferRequest;

/**
 * One generation of a receiver at its sender, ready: the connection, the receiver's memory and what to show with each
 * request. Never exists half done.
 *
 * <p>Thread-safe. When it is lost everything it holds is closed, once; {@link #lost()} tells.
 */
public final class OutboundSession {

    /** Answers that say that this generation is over at the receiver. */
    private static final Set<ErrorCode> OVER =
            Set.of(ErrorCode.UNKNOWN_PEER, ErrorCode.STALE, ErrorCode.SUPERSEDED, ErrorCode.NOT_AUTHORIZED);

    private final Greeted greeted;
    private final Connection connection;
    private final Map<String, RemoteRegion> regions;
    private final IntFunction<RequestClient> dial;
    private final Map<Integer, RequestClient> allocClients = new ConcurrentHashMap<>();
    private final CompletableFuture<TransferException> lost = new CompletableFuture<>();
    private volatile boolean draining;
    private volatile long roundTripNanos;

    /** @param dial opens a client to a port of the receiver */
    OutboundSession(
            Greeted greeted, Connection connection, List<RemoteRegion> regions, IntFunction<RequestClient> dial) {
        this.greeted = greeted;
        this.connection = connection;
        this.regions = regions.stream().collect(Collectors.toUnmodifiableMap(RemoteRegion::id, Function.identity()));
        this.dial = dial;
        var _ = connection.closed().thenAccept(this::lose);
    }

    public Greeted greeted() {
        return greeted;
    }

    public Connection connection() {
        return connection;
    }

    /** The receiver said that it takes no new work. */
    public boolean draining() {
        return draining;
    }

    /** How long the last heartbeat took to be answered, in nanoseconds; 0 before the first. */
    public long roundTripNanos() {
        return roundTripNanos;
    }

    /** @throws TransferException MEMORY_REJECTED when the receiver named a buffer that it has not registered */
    public RemoteRegion region(String id) {
        RemoteRegion region = regions.get(id);
        if (region == null) {
            throw new TransferException(
                    ErrorCode.MEMORY_REJECTED,
                    "buffer %s of %s: not among the registered ones %s"
                            .formatted(id, greeted.receiver(), regions.keySet()));
        }
        return region;
    }

    /**
     * Asks the receiver on its alloc port and waits for the answer. A changed port gets a client of its own.
     *
     * @throws TransferException the receiver's refusal, or TIMEOUT; if it says that this generation is over, the
     *     session is lost
     */
    public <R extends Reply> R ask(int allocPort, TransferRequest<R> request, Deadline deadline)
            throws InterruptedException {
        try {
            return client(allocPort).ask(request, deadline);
        } catch (TransferException e) {
            if (OVER.contains(e.code())) {
                lose(e);
            }
            throw e;
        }
    }

    private RequestClient client(int allocPort) {
        RequestClient client = allocClients.computeIfAbsent(allocPort, dial::apply);
        if (lost.isDone()) {
            client.close();
            throw lost.join();
        }
        return client;
    }

    /** Says that the sender lives, learns whether the receiver does, and probes the data path. */
    void heartbeat(String state, Deadline deadline) throws InterruptedException {
        long asked = System.nanoTime();
        TransferReply.Heartbeat reply =
                ask(greeted.allocPort(), new TransferRequest.Heartbeat(greeted.stamp(), state), deadline);
        roundTripNanos = System.nanoTime() - asked;
        draining = reply.state().equals("draining");
    }

    /** Completes, once, with the cause when the session is over. */
    public CompletableFuture<TransferException> lost() {
        return lost;
    }

    /** Ends the session and closes all that it holds. Only the first call has an effect. */
    public void lose(TransferException cause) {
        if (lost.complete(cause)) {
            connection.close();
            allocClients.values().forEach(RequestClient::close);
        }
    }
}
