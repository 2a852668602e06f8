package dev.tandem.transfer.channel.hccl;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.hccl.HcclLayouts.Memory;

/**
 * The regions of one device that peers may reach, in their order of registration. No more can come once the first
 * communicator has been made, as each binds what there is at its start.
 */
final class RegisteredMemory {

    private static final Logger log = LoggerFactory.getLogger(RegisteredMemory.class);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final HcclRuntime runtime;
    private final DeviceWorker worker;
    private final Map<String, MemoryRegion> shared = new LinkedHashMap<>();
    private final List<Long> addresses = new ArrayList<>();
    private final List<Long> handles = new ArrayList<>();
    private boolean sealed;

    RegisteredMemory(HcclRuntime runtime, DeviceWorker worker) {
        this.runtime = runtime;
        this.worker = worker;
    }

    /**
     * Registers a region that is handed to peers.
     *
     * @throws ChannelException when HCCL refuses it
     * @throws IllegalStateException once there has been a communicator
     */
    synchronized void share(MemoryRegion region) {
        if (shared.containsKey(region.id())) {
            throw new IllegalArgumentException("region %s: registered already".formatted(region.id()));
        }
        add(region);
        shared.put(region.id(), region);
    }

    /** Registers a region of the channel's own. */
    synchronized void add(MemoryRegion region) {
        if (sealed) {
            throw new IllegalStateException("region %s: there has been a connection".formatted(region.id()));
        }
        requireAligned(region);
        handles.add(worker.call("register region " + region.id(), LIMIT, () -> registerHere(region)));
        addresses.add(region.segment().address());
    }

    /** What a communicator must bind. */
    synchronized List<Long> seal() {
        sealed = true;
        return List.copyOf(handles);
    }

    /** @throws IllegalArgumentException when the region is not one that was shared here */
    synchronized void requireShared(MemoryRegion region) {
        if (!region.equals(shared.get(region.id()))) {
            throw new IllegalArgumentException("region %s: not registered".formatted(region.id()));
        }
    }

    synchronized byte[] export() {
        List<MemoryRegion> regions = List.copyOf(shared.values());
        return Packing.REGIONS.pack(out -> {
            out.writeShort(regions.size());
            for (MemoryRegion region : regions) {
                out.writeUTF(region.id());
                out.writeLong(region.segment().address());
                out.writeLong(region.bytes());
            }
        });
    }

    /** @throws ChannelException INVALID when the bytes are not another side's {@link #export()} */
    static List<RemoteRegion> imported(byte[] exported) {
        return Packing.REGIONS.unpack(exported, RegisteredMemory::regionsFrom);
    }

    private static List<RemoteRegion> regionsFrom(DataInputStream in) throws IOException {
        int count = in.readUnsignedShort();
        List<RemoteRegion> regions = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            RemoteRegion region = new RemoteRegion(in.readUTF(), index, in.readLong(), in.readLong());
            if (region.address() < 1 || region.bytes() < 1 || region.address() > Long.MAX_VALUE - region.bytes()) {
                throw new IllegalArgumentException("region %d has no acceptable place".formatted(index));
            }
            regions.add(region);
        }
        return List.copyOf(regions);
    }

    /** Takes back every registration. Call it when no communicator is left. */
    synchronized void close() {
        sealed = true;
        if (!handles.isEmpty()) {
            deregister();
        }
    }

    private void deregister() {
        try {
            worker.call("deregister", LIMIT, this::deregisterHere);
            handles.clear();
            addresses.forEach(runtime.registered()::remove);
        } catch (ChannelException e) {
            log.atWarn().setCause(e).log("hccl memory stays registered");
        }
    }

    private long registerHere(MemoryRegion region) {
        boolean onHost = region.kind() == MemoryKind.HOST;
        // Device memory comes in whole pages, and only whole pages can be registered.
        long bytes = onHost ? region.bytes() : HcclMemory.wholePages(region.bytes());
        try (Arena call = Arena.ofConfined()) {
            MemorySegment memory = Memory.of(
                    call,
                    onHost ? Memory.ON_HOST : Memory.ON_DEVICE,
                    region.segment().address(),
                    bytes);
            MemorySegment handle = call.allocate(ValueLayout.JAVA_LONG);
            return runtime.inRegistry(Deadline.after(LIMIT), () -> {
                NativeResult.requireHccl(
                        "HcclRegisterGlobalMem", HcclLibrary.HcclRegisterGlobalMem(memory.address(), handle.address()));
                runtime.registered().add(region.segment().address());
                return handle.get(ValueLayout.JAVA_LONG, 0);
            });
        }
    }

    /** @return how many were registered */
    private int deregisterHere() {
        return runtime.inRegistry(Deadline.after(LIMIT), () -> {
            for (long handle : handles) {
                NativeResult.requireHccl("HcclDeregisterGlobalMem", HcclLibrary.HcclDeregisterGlobalMem(handle));
            }
            return handles.size();
        });
    }

    private static void requireAligned(MemoryRegion region) {
        if (region.segment().address() % HcclMemory.PAGE != 0) {
            throw new ChannelException(
                    Reason.REFUSED,
                    "region %s: its address is not a multiple of %d".formatted(region.id(), HcclMemory.PAGE));
        }
    }
}
