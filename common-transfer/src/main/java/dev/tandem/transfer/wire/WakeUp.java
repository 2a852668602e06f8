package dev.tandem.transfer.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lets any thread wake the one that polls a socket, at the cost of a system call only when that one may be asleep. */
final class WakeUp implements AutoCloseable {

    private final Pipe pipe;
    private final AtomicBoolean pending = new AtomicBoolean();

    WakeUp() {
        try {
            pipe = Pipe.open();
            pipe.source().configureBlocking(false);
        } catch (IOException e) {
            throw new UncheckedIOException("opening a pipe", e);
        }
    }

    /** What the sleeping thread polls beside its socket. */
    SelectableChannel channel() {
        return pipe.source();
    }

    /** Wakes the sleeper. Any thread; harmless once closed. */
    void signal() {
        if (pending.compareAndSet(false, true)) {
            try {
                pipe.sink().write(ByteBuffer.wrap(new byte[1]));
            } catch (ClosedChannelException e) {
                pending.set(true);
            } catch (IOException e) {
                throw new UncheckedIOException("waking a socket's thread", e);
            }
        }
    }

    /** The sleeper is awake; later signals wake it again. Call before looking at what there is to do. */
    void clear() {
        try {
            var drained = ByteBuffer.allocate(16);
            while (pipe.source().read(drained) > 0) {
                drained.clear();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("reading a pipe", e);
        }
        pending.set(false);
    }

    @Override
    public void close() {
        try {
            pipe.sink().close();
            pipe.source().close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing a pipe", e);
        }
    }
}
