package dev.tandem.transfer.wire;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Remembers what happened on the sockets. */
final class CountedEvents implements WireEvents {

    final AtomicInteger lateReplies = new AtomicInteger();
    final AtomicInteger droppedNotifications = new AtomicInteger();
    final AtomicInteger faults = new AtomicInteger();
    private final Map<Rejection, AtomicInteger> rejected = new ConcurrentHashMap<>();

    @Override
    public void rejected(Rejection why) {
        rejected.computeIfAbsent(why, _ -> new AtomicInteger()).incrementAndGet();
    }

    @Override
    public void lateReply() {
        lateReplies.incrementAndGet();
    }

    @Override
    public void notificationDropped() {
        droppedNotifications.incrementAndGet();
    }

    @Override
    public void socketFault(Throwable cause) {
        faults.incrementAndGet();
    }

    int rejections(Rejection why) {
        return rejected.getOrDefault(why, new AtomicInteger()).get();
    }
}
