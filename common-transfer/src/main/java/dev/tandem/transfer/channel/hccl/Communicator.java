package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;

/**
 * A native communicator of two ranks, with the registered memory bound to it and a stream of its own.
 *
 * <p>Every method makes native calls and wants a thread that has chosen the device. Puts, gets and synchronisation
 * belong to the device's lane; nothing may be called any more once {@link #leave} has begun.
 */
final class Communicator {

    /** What the one-sided service of HCCL is given at most in one call. */
    private static final int MOST_DESCRIPTORS = 256;

    /** For work that outlasted its transfer, so that the communicator does not end under it. */
    private static final int LAST_CHANCE_MILLIS = 200;

    private static final Logger log = LoggerFactory.getLogger(Communicator.class);

    private final HcclRuntime runtime;
    private final CommunicatorPlan plan;
    private final long handle;
    private final List<Long> bound = new ArrayList<>();
    private long stream;
    private volatile boolean working;

    private Communicator(HcclRuntime runtime, CommunicatorPlan plan) {
        this.runtime = runtime;
        this.plan = plan;
        this.handle = init(plan);
    }

    /**
     * Enters the library's registry and binds memory.
     *
     * @param memory handles of registered memory
     * @throws ChannelException when that fails; nothing is left behind then
     */
    static Communicator enter(HcclRuntime runtime, CommunicatorPlan plan, List<Long> memory, Deadline deadline) {
        return runtime.inRegistry(deadline, () -> {
            Communicator communicator = new Communicator(runtime, plan);
            communicator.bindAll(memory);
            return communicator;
        });
    }

    /**
     * Meets the other side. Blocks until it is there too, rounded up to a second beyond the deadline; cannot be
     * interrupted.
     *
     * @throws ChannelException when it does not come; {@link #leave} must follow
     */
    void prepare(Deadline deadline) {
        int seconds = (int) Math.max(1, deadline.remaining().plusMillis(999).toSeconds());
        try (Arena call = Arena.ofConfined()) {
            NativeResult.requireHccl(
                    "HcclCommPrepare",
                    HcclLibrary.HcclCommPrepare(
                            handle, HcclLayouts.PrepareConfig.of(call).address(), seconds));
            MemorySegment out = call.allocate(ValueLayout.JAVA_LONG);
            NativeResult.requireAcl("aclrtCreateStream", AclLibrary.aclrtCreateStream(out.address()));
            stream = out.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    String name() {
        return plan.name();
    }

    void put(DescriptorArray descriptors) {
        working = true;
        for (int at = 0; at < descriptors.size(); at += MOST_DESCRIPTORS) {
            int count = Math.min(MOST_DESCRIPTORS, descriptors.size() - at);
            NativeResult.requireHccl(
                    "HcclBatchPut",
                    HcclLibrary.HcclBatchPut(handle, plan.remoteRank(), descriptors.addressOf(at), count, stream));
        }
    }

    void get(DescriptorArray descriptors) {
        working = true;
        for (int at = 0; at < descriptors.size(); at += MOST_DESCRIPTORS) {
            int count = Math.min(MOST_DESCRIPTORS, descriptors.size() - at);
            NativeResult.requireHccl(
                    "HcclBatchGet",
                    HcclLibrary.HcclBatchGet(handle, plan.remoteRank(), descriptors.addressOf(at), count, stream));
        }
    }

    /**
     * Waits for the puts and gets.
     *
     * @param millis at least 1
     * @return false when they are still under way
     */
    boolean synchronise(int millis) {
        int result = AclLibrary.aclrtSynchronizeStreamWithTimeout(stream, millis);
        if (result == AclLibrary.STREAM_TIMED_OUT) {
            return false;
        }
        NativeResult.requireAcl("aclrtSynchronizeStreamWithTimeout", result);
        working = false;
        return true;
    }

    /** @throws ChannelException when the library knows of a failure that no call has returned yet */
    void requireHealthy() {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment result = call.allocate(ValueLayout.JAVA_INT);
            NativeResult.requireHccl(
                    "HcclGetCommAsyncError", HcclLibrary.HcclGetCommAsyncError(handle, result.address()));
            NativeResult.requireHccl("communicator " + plan.name(), result.get(ValueLayout.JAVA_INT, 0));
        }
    }

    /**
     * Leaves the registry: from then on nothing moves between the two sides.
     *
     * @return whether that is certain
     */
    boolean leave(Deadline deadline) {
        if (working) {
            int _ = AclLibrary.aclrtSynchronizeStreamWithTimeout(stream, LAST_CHANCE_MILLIS);
        }
        try {
            return runtime.inRegistry(deadline, this::unbindAndDestroy);
        } catch (ChannelException e) {
            log.atError().addKeyValue("communicator", plan.name()).setCause(e).log("hccl communicator is left over");
            return false;
        }
    }

    /** Blocks while work is on the stream, so it comes after {@link #leave}, which ends that work. */
    void destroyStream() {
        if (stream != 0) {
            complain("aclrtDestroyStream", AclLibrary.aclrtDestroyStream(stream));
        }
    }

    private static long init(CommunicatorPlan plan) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment config = HcclLayouts.CommConfig.of(call, plan.name(), plan.settings());
            MemorySegment out = call.allocate(ValueLayout.JAVA_LONG);
            NativeResult.requireHccl(
                    "HcclCommInitClusterInfoMemConfig",
                    HcclLibrary.HcclCommInitClusterInfoMemConfig(
                            call.allocateFrom(plan.rankTable()).address(),
                            plan.rank(),
                            config.address(),
                            out.address()));
            return out.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private void bindAll(List<Long> memory) {
        try {
            for (long piece : memory) {
                NativeResult.requireHccl("HcclCommBindMem", HcclLibrary.HcclCommBindMem(handle, piece));
                bound.add(piece);
            }
        } catch (ChannelException e) {
            // Its name would block the next handshake.
            unbindAndDestroy();
            throw e;
        }
    }

    private boolean unbindAndDestroy() {
        for (long piece : bound) {
            complain("HcclCommUnbindMem", HcclLibrary.HcclCommUnbindMem(handle, piece));
        }
        int destroyed = HcclLibrary.HcclCommDestroy(handle);
        complain("HcclCommDestroy", destroyed);
        return destroyed == 0;
    }

    /** Cleaning up goes on after a failure, as each step gives something back. */
    private void complain(String function, int result) {
        if (result != 0) {
            log.atWarn()
                    .addKeyValue("communicator", plan.name())
                    .addKeyValue("function", function)
                    .addKeyValue("result", result)
                    .log("hccl clean-up step failed");
        }
    }
}
