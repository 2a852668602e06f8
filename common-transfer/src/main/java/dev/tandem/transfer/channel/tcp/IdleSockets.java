package dev.tandem.transfer.channel.tcp;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;

/**
 * Watches every socket on which nothing is under way, on one thread, so that an idle peer costs no thread and the death
 * of its process is noticed at once. The same thread keeps time: it closes sockets whose time is up.
 *
 * <p>Thread-safe. A socket is handed in for one event: once it is ready, or recalled, it is no longer watched.
 */
final class IdleSockets implements Closeable {

    private static final Logger log = LoggerFactory.getLogger(IdleSockets.class);
    private static final long TICK_MILLIS = 100;
    private static final long JOIN_MILLIS = 5000;

    private final Selector selector;
    private final Queue<Order> orders = new ConcurrentLinkedQueue<>();
    private final Set<Ticked> ticked = ConcurrentHashMap.newKeySet();
    private Optional<Thread> thread = Optional.empty();
    private volatile boolean closed;

    private final List<Ready> ready = new ArrayList<>();
    private final List<Recall> recalled = new ArrayList<>();
    private final Consumer<SelectionKey> release = this::release;
    private long tickedAtNanos = System.nanoTime();

    /** Told, on the watching thread, that a channel has something to read, or has ended. Must not block. */
    interface Ready {
        void ready();
    }

    /** Looked at several times a second, on the watching thread. Must not block. */
    interface Ticked {
        void tick(long nowNanos);
    }

    private sealed interface Order {}

    private record Watch(SelectableChannel channel, int interest, Ready ready) implements Order {}

    private record Recall(SelectableChannel channel, CountDownLatch done) implements Order {}

    IdleSockets() {
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("opening a selector", e);
        }
    }

    void start(String name) {
        thread = Optional.of(Thread.ofPlatform().daemon().name(name).start(this::run));
    }

    /**
     * Watches a channel until it is ready. A channel that is closed meanwhile is forgotten: who closed it knows.
     *
     * @param interest as in {@link SelectionKey}
     */
    void watch(SelectableChannel channel, int interest, Ready told) {
        order(new Watch(channel, interest, told));
    }

    /**
     * Takes a channel back, so that it can block again. Blocks until the watching thread has let go.
     *
     * @return false when the deadline passed first
     */
    boolean recall(SelectableChannel channel, Deadline deadline) throws InterruptedException {
        var recall = new Recall(channel, new CountDownLatch(1));
        order(recall);
        return recall.done().await(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    }

    void add(Ticked timed) {
        ticked.add(timed);
    }

    void remove(Ticked timed) {
        ticked.remove(timed);
    }

    /** A channel that was closed while it was watched gives its descriptor back only when the selector next looks. */
    void wakeUp() {
        selector.wakeup();
    }

    private void order(Order order) {
        orders.add(order);
        selector.wakeup();
    }

    private void run() {
        while (!closed) {
            try {
                turn();
            } catch (IOException | RuntimeException e) {
                log.error("tcp: a look at the idle sockets failed, the next follows shortly", e);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS));
            }
        }
    }

    private void turn() throws IOException {
        selector.select(release, TICK_MILLIS);
        for (Order order; (order = orders.poll()) != null; ) {
            carryOut(order);
        }
        letGo();
        for (Ready told : ready) {
            tell(told);
        }
        ready.clear();
        recalled.forEach(recall -> recall.done().countDown());
        recalled.clear();
        tickIfDue();
    }

    /** A cancelled key leaves the selector with the next selection only; until then its channel cannot block. */
    private void letGo() throws IOException {
        int letGo = 0;
        while (letGo < ready.size() + recalled.size()) {
            letGo = ready.size() + recalled.size();
            selector.selectNow(release);
        }
    }

    private void release(SelectionKey key) {
        key.cancel();
        ready.add((Ready) key.attachment());
    }

    private void carryOut(Order order) throws IOException {
        switch (order) {
            case Watch watch -> register(watch);
            case Recall recall -> {
                SelectionKey key = recall.channel().keyFor(selector);
                if (key != null) {
                    key.cancel();
                }
                recalled.add(recall);
            }
        }
    }

    private void register(Watch watch) throws IOException {
        try {
            watch.channel().configureBlocking(false);
            watch.channel().register(selector, watch.interest(), watch.ready());
        } catch (ClosedChannelException e) {
            log.trace("tcp: a socket was closed before it was watched", e);
        }
    }

    private static void tell(Ready told) {
        try {
            told.ready();
        } catch (RuntimeException e) {
            log.error("tcp: a socket that is ready cannot be served", e);
        }
    }

    private void tickIfDue() {
        long now = System.nanoTime();
        if (now - tickedAtNanos >= TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS)) {
            tickedAtNanos = now;
            ticked.forEach(timed -> timed.tick(now));
        }
    }

    /** Watches nothing from then on; the channels stay as they are. Waits for its thread. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            if (thread.isPresent()) {
                thread.get().join(JOIN_MILLIS);
            }
            selector.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            log.warn("tcp: closing a selector failed", e);
        }
    }
}
