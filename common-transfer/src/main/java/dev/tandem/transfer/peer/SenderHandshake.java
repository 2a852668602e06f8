package dev.tandem.transfer.peer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.PeerId;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelKind;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferChannel;
import dev.tandem.transfer.wire.HandshakeReply;
import dev.tandem.transfer.wire.HandshakeRequest;
import dev.tandem.transfer.wire.OpaqueBytes;
import dev.tandem.transfer.wire.Reply;
import dev.tandem.transfer.wire.RequestClient;
import dev.tandem.transfer.wire.Stamp;

/** The sender's half of the handshake: Init, connect, MemReg, Ready, each within the step time-out. Blocks. */
final class SenderHandshake {

    /** A native rendezvous may overrun its deadline a little. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final HandshakeSettings settings;
    private final Channels channels;
    private final MemoryGuard guard;
    private final Dialer dialer;

    SenderHandshake(HandshakeSettings settings, Channels channels, MemoryGuard guard, Dialer dialer) {
        this.settings = settings;
        this.channels = channels;
        this.guard = guard;
        this.dialer = dialer;
    }

    /**
     * Greets a receiver.
     *
     * @return a session that is ready
     * @throws TransferException naming the step that failed; everything opened on the way is closed then
     */
    OutboundSession greet(PeerId receiver, long generation) throws InterruptedException {
        try (RequestClient init = dialer.dial(receiver, receiver.initPort())) {
            return new Attempt(receiver, generation, init).run();
        }
    }

    /** One pass through the steps. */
    private final class Attempt {

        private final PeerId receiver;
        private final long generation;
        private final RequestClient init;

        Attempt(PeerId receiver, long generation, RequestClient init) {
            this.receiver = receiver;
            this.generation = generation;
            this.init = init;
        }

        OutboundSession run() throws InterruptedException {
            Meta receiverMeta = init();
            TransferChannel channel = channel(receiverMeta);
            Connection connection = connect(channel, receiverMeta);
            try {
                List<RemoteRegion> regions = registerMemory(channel, connection);
                Greeted greeted = ready(receiverMeta, channel.kind());
                return new OutboundSession(greeted, connection, regions, port -> dialer.dial(receiver, port));
            } catch (TransferException | InterruptedException e) {
                connection.close();
                throw e;
            }
        }

        private Meta init() throws InterruptedException {
            var meta = new Meta(
                    settings.incarnation(), settings.rank(), 0, settings.compatibility(), channels.greetings());
            HandshakeReply.Init reply = step(
                    "init",
                    new HandshakeRequest.Init(
                            settings.localId(),
                            meta.toBytes(),
                            generation,
                            settings.incarnation().value()));
            Meta receiverMeta = Meta.parse(reply.serverMeta());
            settings.compatibility().mismatch(receiverMeta.compatibility()).ifPresent(difference -> {
                throw failure("init", ErrorCode.INCOMPATIBLE, "sender and receiver differ: " + difference, null);
            });
            return receiverMeta;
        }

        private TransferChannel channel(Meta receiverMeta) {
            return receiverMeta.channels().keySet().stream()
                    .findFirst()
                    .flatMap(channels::of)
                    .orElseThrow(() -> failure(
                            "init",
                            ErrorCode.INCOMPATIBLE,
                            "channel %s≠%s"
                                    .formatted(
                                            channels.kinds(),
                                            receiverMeta.channels().keySet()),
                            null));
        }

        /** The rendezvous may run native code, so it has a platform thread of its own. */
        private Connection connect(TransferChannel channel, Meta receiverMeta) throws InterruptedException {
            String name = HandshakeSettings.connectionName(
                    settings.localId(), settings.incarnation().value(), receiverMeta.incarnation(), generation);
            byte[] offer = receiverMeta
                    .channels()
                    .getOrDefault(channel.kind(), OpaqueBytes.EMPTY)
                    .toArray();
            Deadline deadline = Deadline.after(settings.stepTimeout());
            var outcome = new CompletableFuture<Connection>();
            Thread.ofPlatform().daemon().name("connect-" + receiver).start(() -> {
                try {
                    outcome.complete(channel.connect(name, offer, guard, deadline));
                } catch (RuntimeException e) {
                    outcome.completeExceptionally(e);
                }
            });
            return await(outcome, deadline);
        }

        private Connection await(CompletableFuture<Connection> outcome, Deadline deadline) throws InterruptedException {
            try {
                return outcome.get(deadline.remaining().plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                TransferException cause = TransferException.of(e);
                throw failure("connect", cause.code(), cause.message(), cause);
            } catch (TimeoutException e) {
                var _ = outcome.thenAccept(Connection::close);
                throw failure("connect", ErrorCode.TIMEOUT, "no connection within " + settings.stepTimeout(), e);
            } catch (InterruptedException e) {
                var _ = outcome.thenAccept(Connection::close);
                throw e;
            }
        }

        private List<RemoteRegion> registerMemory(TransferChannel channel, Connection connection)
                throws InterruptedException {
            HandshakeReply.MemReg reply = step(
                    "memreg",
                    new HandshakeRequest.MemReg(
                            settings.localId(),
                            OpaqueBytes.of(channel.exportMemory()),
                            generation,
                            settings.incarnation().value()));
            try {
                return connection.importMemory(reply.serverMemHandles().toArray());
            } catch (TransferException e) {
                throw failure("memreg", ErrorCode.MEMORY_REJECTED, String.valueOf(e.getMessage()), e);
            }
        }

        private Greeted ready(Meta receiverMeta, ChannelKind channel) throws InterruptedException {
            HandshakeReply.Ready reply = step(
                    "ready",
                    new HandshakeRequest.Ready(
                            settings.localId(),
                            generation,
                            settings.incarnation().value()));
            if (!reply.receiverIncarnation().equals(receiverMeta.incarnation().value())) {
                throw failure("ready", ErrorCode.STALE, "the receiver restarted during the handshake", null);
            }
            var stamp = new Stamp(
                    settings.localId(), settings.incarnation().value(), reply.peerToken(), reply.receiverIncarnation());
            return new Greeted(
                    receiver,
                    generation,
                    receiverMeta.incarnation(),
                    channel,
                    receiverMeta.allocPort(),
                    stamp,
                    Duration.ofMillis(reply.leaseMillis()),
                    Duration.ofMillis(Math.max(1, reply.heartbeatMillis())));
        }

        private <R extends Reply> R step(String name, HandshakeRequest<R> request) throws InterruptedException {
            try {
                return init.ask(request, Deadline.after(settings.stepTimeout()));
            } catch (TransferException e) {
                throw failure(name, e.code(), String.valueOf(e.getMessage()), e);
            }
        }

        private TransferException failure(String step, ErrorCode code, String message, @Nullable Throwable cause) {
            String text = "handshake with %s, step %s: %s".formatted(receiver, step, message);
            return cause == null ? new TransferException(code, text) : new TransferException(code, text, cause);
        }
    }

    /** Opens a client to a port of a receiver. */
    interface Dialer {
        RequestClient dial(PeerId receiver, int port);
    }
}
