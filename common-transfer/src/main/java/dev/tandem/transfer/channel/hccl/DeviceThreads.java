package dev.tandem.transfer.channel.hccl;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.tandem.transfer.Deadline;

/**
 * Starts platform threads that have chosen one device, as the runtime keeps that choice per thread. They are daemons:
 * a native call that never returns does not keep the process alive.
 */
final class DeviceThreads {

    private final int device;
    private final Set<Thread> running = new HashSet<>();

    /** @param device as the process sees it */
    DeviceThreads(int device) {
        this.device = device;
    }

    int device() {
        return device;
    }

    /** Runs {@code work} on a thread of its own. */
    synchronized void start(String name, Runnable work) {
        Thread thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            try {
                work.run();
            } finally {
                forget(Thread.currentThread());
            }
        });
        thread.start();
        running.add(thread);
    }

    /** Chooses the device for the calling thread, a platform thread. */
    void chooseDevice() {
        NativeResult.requireAcl("aclrtSetDevice(%d)".formatted(device), AclLibrary.aclrtSetDevice(device));
    }

    /** Waits for every thread that was started here. */
    boolean awaitEnd(Deadline deadline) {
        try {
            // A thread may have started another one.
            for (List<Thread> threads = started(); !threads.isEmpty(); threads = started()) {
                for (Thread thread : threads) {
                    if (!thread.join(deadline.remaining())) {
                        return false;
                    }
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private synchronized void forget(Thread thread) {
        running.remove(thread);
    }

    private synchronized List<Thread> started() {
        return List.copyOf(running);
    }
}
