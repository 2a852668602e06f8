package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.RegionAllocator;
import dev.tandem.transfer.RegionCopy;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelException;

/**
 * Memory that HCCL can reach: on the device, or on the host where the device can read it. Each region is 2 MiB-aligned
 * and has whole pages of 2 MiB behind it.
 *
 * <p>The segment of device memory carries its address and size, and throws when the host reads or writes it;
 * {@link #copyIn} and {@link #copyOut} reach the bytes.
 *
 * <p>Thread-safe. Methods block while a thread of the allocator's own makes the native call: at most 60 s to allocate,
 * 30 s to copy. Close the channels that use the memory first.
 */
public final class HcclMemory implements RegionAllocator, RegionCopy {

    static final long PAGE = 2L << 20;

    private static final Logger log = LoggerFactory.getLogger(HcclMemory.class);

    private static final Duration ALLOCATION = Duration.ofSeconds(60);
    private static final Duration COPY = Duration.ofSeconds(30);

    private final MemoryKind kind;
    private final HcclRuntime runtime;
    private final DeviceWorker worker;
    private final Arena arena = Arena.ofShared();
    private final List<Long> allocations = new ArrayList<>();

    HcclMemory(MemoryKind kind, HcclRuntime runtime, DeviceThreads threads) {
        this.kind = kind;
        this.runtime = runtime;
        this.worker = new DeviceWorker("hccl-memory-" + threads.device(), threads);
    }

    /**
     * An allocator on the device of a rank, of the settings' kind of memory.
     *
     * @throws TransferException when the native libraries cannot be used
     * @throws IllegalArgumentException when the process does not see the rank's device
     */
    public static HcclMemory open(HcclSettings settings, int rank) {
        HcclRuntime runtime = HcclRuntime.load(settings.libraryDirectory());
        int device = LocalDevice.of(settings, rank, System.getenv());
        return new HcclMemory(settings.memory(), runtime, new DeviceThreads(device));
    }

    @Override
    public MemoryRegion allocate(String id, long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("buffer %s: %d bytes, at least 1 is needed".formatted(id, bytes));
        }
        long address = wholePages(allocateNative(id, bytes));
        return new MemoryRegion(id, kind == MemoryKind.HOST ? touched(address, bytes) : apart(address, bytes), kind);
    }

    @Override
    public void copyIn(MemorySegment host, MemoryRegion region, long offset) {
        copyIn(host, region, offset, COPY);
    }

    @Override
    public void copyOut(MemoryRegion region, long offset, MemorySegment host) {
        copyOut(region, offset, host, COPY);
    }

    void copyIn(MemorySegment host, MemoryRegion region, long offset, Duration limit) {
        if (region.kind() == MemoryKind.HOST) {
            RegionCopy.HOST.copyIn(host, region, offset);
        } else {
            long to = addressIn(region, offset, host);
            move("copy into " + region.id(), limit, host, () -> memcpy(to, host, AclLibrary.HOST_TO_DEVICE));
        }
    }

    void copyOut(MemoryRegion region, long offset, MemorySegment host, Duration limit) {
        if (region.kind() == MemoryKind.HOST) {
            RegionCopy.HOST.copyOut(region, offset, host);
        } else {
            long from = addressIn(region, offset, host);
            move("copy out of " + region.id(), limit, host, () -> memcpy(from, host, AclLibrary.DEVICE_TO_HOST));
        }
    }

    /** Frees every region, but not one that a channel could not take back from its peers. Idempotent. */
    @Override
    public synchronized void close() {
        if (arena.scope().isAlive()) {
            arena.close();
            if (!allocations.isEmpty()) {
                free();
            }
            worker.close();
        }
    }

    private void free() {
        try {
            int kept = worker.call("free", ALLOCATION, this::freeNative);
            if (kept > 0) {
                log.atError().addKeyValue("regions", kept).log("hccl memory is kept, it is still registered");
            }
        } catch (ChannelException e) {
            log.atWarn().addKeyValue("kind", kind).setCause(e).log("hccl memory is not freed");
        }
    }

    private synchronized long allocateNative(String id, long bytes) {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException("hccl memory: closed");
        }
        try {
            long address = worker.call("allocate", ALLOCATION, () -> allocateHere(wholePages(bytes) + PAGE));
            allocations.add(address);
            return address;
        } catch (ChannelException e) {
            throw new TransferException(
                    ErrorCode.TOO_LARGE, "buffer %s of %d bytes: %s".formatted(id, bytes, e.message()), e);
        }
    }

    private long allocateHere(long bytes) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment address = call.allocate(ValueLayout.JAVA_LONG);
            if (kind == MemoryKind.HOST) {
                NativeResult.requireAcl("aclrtMallocHost", AclLibrary.aclrtMallocHost(address.address(), bytes));
            } else {
                NativeResult.requireAcl(
                        "aclrtMalloc", AclLibrary.aclrtMalloc(address.address(), bytes, AclLibrary.HUGE_PAGES_FIRST));
            }
            return address.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /** @return how many were kept, as a peer may still reach them */
    private int freeNative() {
        List<Long> kept = allocations.stream()
                .filter(address -> runtime.registered().contains(wholePages(address)))
                .toList();
        allocations.removeAll(kept);
        for (long address : allocations) {
            if (kind == MemoryKind.HOST) {
                NativeResult.requireAcl("aclrtFreeHost", AclLibrary.aclrtFreeHost(address));
            } else {
                NativeResult.requireAcl("aclrtFree", AclLibrary.aclrtFree(address));
            }
        }
        return kept.size();
    }

    private MemorySegment touched(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena, null).fill((byte) 0);
    }

    /** A segment of an arena that has ended: it keeps its address and size, and refuses to be read or written. */
    private static MemorySegment apart(long address, long bytes) {
        try (Arena ended = Arena.ofShared()) {
            return MemorySegment.ofAddress(address).reinterpret(bytes, ended, null);
        }
    }

    private static long addressIn(MemoryRegion region, long offset, MemorySegment host) {
        if (!host.isNative()) {
            throw new IllegalArgumentException("host side of a copy: not native memory");
        }
        Objects.checkFromIndexSize(offset, host.byteSize(), region.bytes());
        return region.segment().address() + offset;
    }

    private void move(String what, Duration limit, MemorySegment host, IntSupplier copy) {
        worker.call(what, limit, () -> {
            try {
                int result = host.byteSize() == 0 ? 0 : copy.getAsInt();
                NativeResult.requireAcl("aclrtMemcpy", result);
                return result;
            } finally {
                // The caller may have given up on a call that does not return.
                Reference.reachabilityFence(host);
            }
        });
    }

    private static int memcpy(long device, MemorySegment host, int direction) {
        long bytes = host.byteSize();
        return direction == AclLibrary.HOST_TO_DEVICE
                ? AclLibrary.aclrtMemcpy(device, bytes, host.address(), bytes, direction)
                : AclLibrary.aclrtMemcpy(host.address(), bytes, device, bytes, direction);
    }

    static long wholePages(long value) {
        return (value + PAGE - 1) & -PAGE;
    }
}
