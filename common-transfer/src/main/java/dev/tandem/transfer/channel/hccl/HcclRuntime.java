package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/**
 * The native libraries of this process: loaded, checked and initialised once, for all its devices. They stay loaded
 * until the process ends, as the runtime cannot be initialised twice.
 *
 * <p>Also holds the lock around the library's registry of communicators, which is not thread-safe.
 */
final class HcclRuntime {

    private static final String DEVICE_INFO = "aclrtGetDeviceInfo";
    private static final int SUPER_DEVICE_ID = 403;
    private static final int SUPER_POD_ID = 405;

    /** Directly mapped functions belong to their class, so the process has one set of them. */
    private static @Nullable HcclRuntime loaded;

    private final Optional<Path> directory;
    private final NativeLibrary acl;
    private final NativeLibrary hccl;
    private final ReentrantLock registry = new ReentrantLock(true);
    private final Set<Long> registered = ConcurrentHashMap.newKeySet();

    private HcclRuntime(Optional<Path> directory, NativeLibrary acl, NativeLibrary hccl) {
        this.directory = directory;
        this.acl = acl;
        this.hccl = hccl;
    }

    /**
     * @param directory as in {@link HcclSettings}
     * @throws dev.tandem.transfer.TransferException when a library or a function is missing, or the runtime does not
     *     start
     * @throws IllegalStateException when the process has loaded the libraries from elsewhere
     */
    static synchronized HcclRuntime load(Optional<Path> directory) {
        HcclRuntime runtime = loaded;
        if (runtime == null) {
            runtime = loadFrom(directory);
            loaded = runtime;
        }
        if (!runtime.directory.equals(directory)) {
            throw new IllegalStateException(
                    "hccl libraries: loaded from %s, cannot load them from %s".formatted(runtime, directory));
        }
        return runtime;
    }

    private static HcclRuntime loadFrom(Optional<Path> directory) {
        LibrarySearch search = LibrarySearch.in(directory, System.getenv());
        NativeLibrary acl = search.open(AclLibrary.class, List.of(AclLibrary.FILE));
        NativeLibrary hccl = search.open(HcclLibrary.class, HcclLibrary.FILES);
        Native.register(AclLibrary.class, acl);
        Native.register(HcclLibrary.class, hccl);
        int result = AclLibrary.aclInit(0);
        if (result != AclLibrary.REPEATED_INITIALISATION) {
            NativeResult.requireAcl("aclInit", result);
        }
        return new HcclRuntime(directory, acl, hccl);
    }

    /** The chip's name, such as Ascend910B3. */
    String soc() {
        return NativeText.at(AclLibrary.aclrtGetSocName());
    }

    /** The device's id in its super pod; empty where the runtime cannot tell. Call it where the device is chosen. */
    OptionalLong superDevice(int device) {
        return deviceInfo(device, SUPER_DEVICE_ID);
    }

    /** Otherwise as {@link #superDevice}. */
    OptionalLong superPod(int device) {
        return deviceInfo(device, SUPER_POD_ID);
    }

    /** Addresses of registered memory, which must not be freed: a peer may reach it. */
    Set<Long> registered() {
        return registered;
    }

    /**
     * Calls functions that read or change the library's registry of communicators and registered memory.
     *
     * @throws ChannelException TIMED_OUT when another thread does not leave the registry in time
     */
    <T> T inRegistry(Deadline deadline, Supplier<T> calls) {
        enterRegistry(deadline);
        try {
            return calls.get();
        } finally {
            registry.unlock();
        }
    }

    private void enterRegistry(Deadline deadline) {
        try {
            if (!registry.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw new ChannelException(Reason.TIMED_OUT, "hccl registry: another call does not return");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChannelException(Reason.CLOSED, "hccl registry: interrupted", e);
        }
    }

    /** Looked up by name, as only super pods need it. */
    private OptionalLong deviceInfo(int device, int attribute) {
        if (!LibrarySearch.has(acl, DEVICE_INFO)) {
            return OptionalLong.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
            int result = acl.getFunction(DEVICE_INFO).invokeInt(new Object[] {device, attribute, value.address()});
            return result == 0 ? OptionalLong.of(value.get(ValueLayout.JAVA_LONG, 0)) : OptionalLong.empty();
        }
    }

    @Override
    public String toString() {
        return "%s and %s".formatted(acl.getFile(), hccl.getFile());
    }
}
