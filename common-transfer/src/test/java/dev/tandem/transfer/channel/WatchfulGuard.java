package dev.tandem.transfer.channel;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A guard that admits every token but {@link #STALE}, counts, and can be held. */
public final class WatchfulGuard implements MemoryGuard {

    public static final long STALE = 666;

    private static final long HELD_AT_MOST_SECONDS = 30;

    private final AtomicInteger admitted = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final CountDownLatch reached = new CountDownLatch(1);
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** Whoever is admitted from now on waits, inside its payload, until {@link #free}. */
    public void hold() {
        gate = new CountDownLatch(1);
    }

    public void free() {
        gate.countDown();
    }

    /** Waits until somebody is held. */
    public boolean reached() {
        return await(reached);
    }

    public int admitted() {
        return admitted.get();
    }

    public int ended() {
        return ended.get();
    }

    /** What it was asked, in order: region, offset, bytes, token. */
    public List<String> asked() {
        return asked;
    }

    @Override
    public boolean beginWrite(String region, long offset, long bytes, long token) {
        return admits(region, offset, bytes, token);
    }

    @Override
    public void endWrite(String region, long offset) {
        ended.incrementAndGet();
    }

    @Override
    public boolean beginRead(String region, long offset, long bytes, long token) {
        return admits(region, offset, bytes, token);
    }

    @Override
    public void endRead(String region, long offset) {
        ended.incrementAndGet();
    }

    private boolean admits(String region, long offset, long bytes, long token) {
        asked.add("%s %d %d %d".formatted(region, offset, bytes, token));
        if (token == STALE) {
            return false;
        }
        admitted.incrementAndGet();
        reached.countDown();
        return await(gate);
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(HELD_AT_MOST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
