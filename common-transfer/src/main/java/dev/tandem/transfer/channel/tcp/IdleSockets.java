package dev.tandem.transfer.channel.tcp;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches every socket on which nothing is under way, on one thread, so that an idle peer costs no thread and the death
 * of its process is noticed at once. The same thread closes sockets whose time is up.
 */
final class IdleSockets implements Closeable {

    private static final Logger log = LoggerFactory.getLogger(IdleSockets.class);
    private static final long TICK_MILLIS = 100;

    private final Selector selector;
    private final Queue<Watch> arriving = new ConcurrentLinkedQueue<>();
    private final Set<Timed> timed = ConcurrentHashMap.newKeySet();
    private final Thread thread;
    private volatile boolean closed;

    /** Told when a watched channel has something to read, or has ended. The channel is no longer watched then. */
    interface Ready {
        void ready();
    }

    /** Something with a limit in time; looked at several times a second. */
    interface Timed {
        void look(long nowNanos) throws IOException;
    }

    private record Watch(SelectableChannel channel, int interest, Ready ready) {}

    IdleSockets(String name) {
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("opening a selector", e);
        }
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /**
     * Watches a channel until it is ready, once.
     *
     * @param interest as in {@link SelectionKey}
     */
    void watch(SelectableChannel channel, int interest, Ready ready) {
        arriving.add(new Watch(channel, interest, ready));
        selector.wakeup();
    }

    void add(Timed limit) {
        timed.add(limit);
    }

    void remove(Timed limit) {
        timed.remove(limit);
    }

    private void run() {
        while (!closed) {
            try {
                selector.select(TICK_MILLIS);
                release(readyKeys());
                register();
                lookAtLimits();
            } catch (IOException | RuntimeException e) {
                log.error("tcp: one look at the idle sockets failed, the next goes on", e);
            }
        }
        closeSelector();
    }

    private void closeSelector() {
        try {
            selector.close();
        } catch (IOException e) {
            log.warn("tcp: closing a selector failed", e);
        }
    }

    private List<SelectionKey> readyKeys() {
        var ready = new ArrayList<>(selector.selectedKeys());
        selector.selectedKeys().clear();
        ready.forEach(SelectionKey::cancel);
        return ready;
    }

    /** A cancelled key leaves the selector with the next selection only; until then its channel cannot block. */
    private void release(List<SelectionKey> keys) throws IOException {
        if (keys.isEmpty()) {
            return;
        }
        selector.selectNow();
        for (SelectionKey key : keys) {
            if (key.attachment() instanceof Ready ready) {
                ready.ready();
            }
        }
    }

    private void register() throws IOException {
        for (Watch watch; (watch = arriving.poll()) != null; ) {
            if (watch.channel().isOpen()) {
                try {
                    watch.channel().configureBlocking(false);
                    watch.channel().register(selector, watch.interest(), watch.ready());
                } catch (ClosedChannelException | CancelledKeyException e) {
                    watch.ready().ready();
                }
            } else {
                watch.ready().ready();
            }
        }
    }

    private void lookAtLimits() throws IOException {
        long now = System.nanoTime();
        for (Timed limit : timed) {
            limit.look(now);
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            thread.join(1000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
