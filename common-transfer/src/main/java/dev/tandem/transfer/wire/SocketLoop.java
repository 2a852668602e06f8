package dev.tandem.transfer.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/**
 * A thread that owns sockets: nobody else touches them. Others hand it work with {@link #execute}.
 *
 * <p>It waits in a selector of its own and not inside JeroMQ. So it can be woken at the cost of one system call, without
 * polling; and no thread of ours that might be interrupted ever writes into JeroMQ's pipes, where an interrupt closes
 * the pipe and with it another socket. A platform thread, since it must go on when every carrier of virtual threads is
 * held by a native call.
 */
final class SocketLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SocketLoop.class);
    private static final long TICK_MILLIS = 1_000;
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
    private static final long CALL_SECONDS = 10;
    private static final Duration CLOSE_TIME = Duration.ofMillis(500);

    private final Selector selector;
    private final Thread thread;
    private final Set<LoopSocket> sockets = new LinkedHashSet<>();
    private final Set<LoopSocket> touched = new LinkedHashSet<>();
    private final Object lock = new Object();
    private List<Runnable> tasks = new ArrayList<>();
    private boolean closing;
    private long nextTickNanos = System.nanoTime() + TICK_NANOS;
    private volatile long lastTickNanos = System.nanoTime();

    /** Starts the thread. */
    SocketLoop(String name) {
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("opening a selector for " + name, e);
        }
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    boolean alive() {
        return thread.isAlive();
    }

    /** When the thread last looked around; at least once a second if it is well. */
    long lastTickNanos() {
        return lastTickNanos;
    }

    boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    /**
     * Has a task done on the thread, after those handed over before.
     *
     * @return false if the loop has ended or is about to; the task is never done then
     */
    boolean execute(Runnable task) {
        synchronized (lock) {
            if (closing) {
                return false;
            }
            tasks.add(task);
        }
        selector.wakeup();
        return true;
    }

    /**
     * Has a task done on the thread and waits for it, however often the caller is interrupted: half a task would leave a
     * socket that nobody closes.
     *
     * @throws TransferException when the loop has ended; otherwise what the task throws
     */
    <T> T call(Supplier<T> task) {
        var result = new CompletableFuture<T>();
        if (!execute(() -> complete(result, task))) {
            throw new TransferException(ErrorCode.DRAINING, thread.getName() + " has ended");
        }
        try {
            return result.orTimeout(CALL_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static <T> void complete(CompletableFuture<T> result, Supplier<T> task) {
        try {
            result.complete(task.get());
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    /** Waits for this socket too, from now on. On the thread only. */
    SelectionKey join(LoopSocket socket, SelectableChannel channel) {
        try {
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ, socket);
            sockets.add(socket);
            touch(socket);
            return key;
        } catch (ClosedChannelException e) {
            throw new UncheckedIOException("waiting for a socket", e);
        }
    }

    /** Looks at this socket before waiting again. On the thread only. */
    void touch(LoopSocket socket) {
        touched.add(socket);
    }

    /** Waits for this socket no more. On the thread only. */
    void leave(LoopSocket socket, SelectionKey key) {
        key.cancel();
        sockets.remove(socket);
        touched.remove(socket);
    }

    private void run() {
        try {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = pass();
            }
        } catch (IOException | RuntimeException e) {
            log.error("{}: the loop ended", thread.getName(), e);
        } finally {
            end();
        }
    }

    private boolean pass() throws IOException {
        if (touched.isEmpty()) {
            selector.select(this::ready, TICK_MILLIS);
        } else {
            selector.selectNow(this::ready);
        }
        lastTickNanos = System.nanoTime();
        boolean goesOn = runTasks();
        serve();
        tick(lastTickNanos);
        return goesOn;
    }

    private void ready(SelectionKey key) {
        touched.add((LoopSocket) key.attachment());
    }

    /** @return false when these were the last tasks */
    private boolean runTasks() {
        List<Runnable> batch;
        boolean last;
        synchronized (lock) {
            batch = tasks;
            tasks = new ArrayList<>();
            last = closing;
        }
        for (Runnable task : batch) {
            try {
                task.run();
            } catch (RuntimeException e) {
                log.error("{}: a task failed; the loop goes on", thread.getName(), e);
            }
        }
        return !last;
    }

    private void serve() {
        List<LoopSocket> batch = List.copyOf(touched);
        touched.clear();
        batch.forEach(LoopSocket::serve);
    }

    private void tick(long nowNanos) {
        if (nowNanos - nextTickNanos >= 0) {
            nextTickNanos = nowNanos + TICK_NANOS;
            List.copyOf(sockets).forEach(LoopSocket::tick);
        }
    }

    private void end() {
        synchronized (lock) {
            closing = true;
        }
        var ended = new TransferException(ErrorCode.PEER_LOST, thread.getName() + " has ended");
        List.copyOf(sockets).forEach(socket -> socket.lose(ended));
        try {
            selector.close();
        } catch (IOException e) {
            log.warn("{}: closing its selector", thread.getName(), e);
        }
    }

    /** Does what was handed over, closes the sockets and ends the thread, within a second. Idempotent. */
    @Override
    public void close() {
        synchronized (lock) {
            closing = true;
        }
        selector.wakeup();
        if (isCurrentThread()) {
            return;
        }
        try {
            if (!thread.join(CLOSE_TIME)) {
                log.warn("{}: has not ended within {}", thread.getName(), CLOSE_TIME);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
