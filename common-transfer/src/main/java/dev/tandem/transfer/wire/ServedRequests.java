package dev.tandem.transfer.wire;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.wire.WireEvents.Rejection;

/**
 * Takes requests off a ROUTER socket, has them handled, and sends the replies back the way the requests came. On the
 * socket's thread, but for {@link #work} and {@link #interrupt}.
 */
final class ServedRequests implements LoopSocket.Owner {

    private static final Logger log = LoggerFactory.getLogger(ServedRequests.class);
    private static final int MESSAGES_PER_TURN = 64;
    private static final byte[] NO_REASON = new byte[0];

    private final RequestServer.Handler handler;
    private final UnderWay underWay;
    private final WireEvents events;
    private final int maxMessageBytes;
    private final Set<Thread> workers = ConcurrentHashMap.newKeySet();
    private volatile boolean lost;

    ServedRequests(ZmqSockets sockets, UnderWay underWay, RequestServer.Handler handler) {
        this.handler = handler;
        this.underWay = underWay;
        this.events = sockets.events();
        this.maxMessageBytes = sockets.maxMessageBytes();
    }

    /** Where a request came from and its reply goes. */
    private record Origin(LoopSocket socket, Envelope envelope) {

        void reply(byte[] payload) {
            socket.send(envelope.around(payload));
        }
    }

    /** Whether the socket is closed, whatever the reason. */
    boolean lost() {
        return lost;
    }

    @Override
    public void lost(TransferException cause) {
        lost = true;
    }

    @Override
    public boolean serve(LoopSocket socket) {
        for (int i = 0; i < MESSAGES_PER_TURN; i++) {
            if (!socket.readable()) {
                return false;
            }
            take(socket, socket.receive());
        }
        return true;
    }

    private void take(LoopSocket socket, List<byte[]> message) {
        Optional<Envelope> envelope = Envelope.of(message);
        if (envelope.isEmpty()) {
            events.rejected(Rejection.NO_ENVELOPE);
            return;
        }
        var origin = new Origin(socket, envelope.get());
        List<byte[]> payload = origin.envelope().payload(message);
        if (payload.size() != 1) {
            refuse(origin, Rejection.MALFORMED, "%d payload frames, one is wanted".formatted(payload.size()));
        } else if (payload.getFirst().length > maxMessageBytes) {
            int bytes = payload.getFirst().length;
            refuse(origin, Rejection.TOO_LARGE, "message of %d bytes, at most %d".formatted(bytes, maxMessageBytes));
        } else if (!underWay.begin(origin.envelope().peer())) {
            refuse(origin, Rejection.OVERLOADED, "too many requests are under way, try again later");
        } else {
            begin(origin, payload.getFirst());
        }
    }

    private void refuse(Origin origin, Rejection why, String message) {
        events.rejected(why);
        ErrorCode code = why == Rejection.OVERLOADED ? ErrorCode.POOL_FULL : ErrorCode.BAD_REQUEST;
        origin.reply(failure(new TransferException(code, message)));
    }

    private void begin(Origin origin, byte[] payload) {
        Supplier<byte[]> rest;
        try {
            rest = handler.accept(payload);
        } catch (Throwable e) {
            finish(origin, failed(e));
            return;
        }
        Thread worker = Thread.ofVirtual().name("request").unstarted(() -> work(origin, rest));
        workers.add(worker);
        worker.start();
    }

    private void work(Origin origin, Supplier<byte[]> rest) {
        try {
            byte[] reply = outcome(rest);
            origin.socket().execute(() -> finish(origin, reply));
        } finally {
            workers.remove(Thread.currentThread());
        }
    }

    private byte[] outcome(Supplier<byte[]> rest) {
        try {
            return rest.get();
        } catch (Throwable e) {
            return failed(e);
        }
    }

    private void finish(Origin origin, byte[] reply) {
        underWay.end(origin.envelope().peer());
        origin.reply(reply);
    }

    /** Whatever a handler throws is answered: a request without a reply would wedge a REQ client for ever. */
    private byte[] failed(Throwable cause) {
        if (cause instanceof MalformedMessageException) {
            events.rejected(Rejection.MALFORMED);
        } else if (!(cause instanceof TransferException)) {
            log.error("a request failed and is refused", cause);
            events.rejected(Rejection.FAILED);
        }
        return failure(cause);
    }

    private byte[] failure(Throwable cause) {
        try {
            return handler.failure(cause);
        } catch (RuntimeException e) {
            log.error("a failure could not be described; the reply is empty", e);
            return NO_REASON;
        }
    }

    /** Interrupts what is under way and waits until it has ended, not longer than {@code time}. */
    void interrupt(Duration time) throws InterruptedException {
        Deadline deadline = Deadline.after(time);
        workers.forEach(Thread::interrupt);
        for (Thread worker : workers) {
            if (worker != Thread.currentThread()) {
                worker.join(deadline.remaining());
            }
        }
    }
}
