package dev.tandem.transfer.channel.hccl;

import java.util.Map;

import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/** Turns what a native function returned into an exception that says which function, which code and why. */
final class NativeResult {

    private static final int HCCL_TIMEOUT = 9;

    /** Results of HCCL are small numbers, those of the runtime large ones; HCCL passes some of the latter on. */
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(1, "PARA"),
            Map.entry(2, "PTR"),
            Map.entry(3, "MEMORY"),
            Map.entry(4, "INTERNAL"),
            Map.entry(5, "NOT_SUPPORT"),
            Map.entry(6, "NOT_FOUND"),
            Map.entry(7, "UNAVAIL"),
            Map.entry(8, "SYSCALL"),
            Map.entry(HCCL_TIMEOUT, "TIMEOUT"),
            Map.entry(10, "OPEN_FILE"),
            Map.entry(11, "TCP_CONNECT"),
            Map.entry(12, "ROCE_CONNECT"),
            Map.entry(13, "TCP_TRANSFER"),
            Map.entry(14, "ROCE_TRANSFER"),
            Map.entry(15, "RUNTIME"),
            Map.entry(16, "DRV"),
            Map.entry(19, "NETWORK"),
            Map.entry(20, "AGAIN"),
            Map.entry(21, "REMOTE"),
            Map.entry(22, "SUSPENDING"),
            Map.entry(100_000, "INVALID_PARAM"),
            Map.entry(100_001, "UNINITIALIZE"),
            Map.entry(AclLibrary.REPEATED_INITIALISATION, "REPEAT_INITIALIZE"),
            Map.entry(107_000, "PARAM_INVALID"),
            Map.entry(107_001, "INVALID_DEVICEID"),
            Map.entry(107_002, "CONTEXT_NULL"),
            Map.entry(107_003, "STREAM_CONTEXT"),
            Map.entry(207_001, "MEMORY_ALLOCATION"),
            Map.entry(507_000, "INTERNAL_ERROR"),
            Map.entry(507_001, "TS_ERROR"),
            Map.entry(507_010, "LOST_HEARTBEAT"),
            Map.entry(AclLibrary.STREAM_TIMED_OUT, "STREAM_SYNC_TIMEOUT"),
            Map.entry(507_899, "DRV_INTERNAL_ERROR"));

    private NativeResult() {}

    /** @throws ChannelException unless {@code result} is 0; call it on the thread that made the call */
    static void requireAcl(String function, int result) {
        if (result != 0) {
            throw failure(function, result, nameOf(result));
        }
    }

    /** As {@link #requireAcl}, for functions of HCCL. */
    static void requireHccl(String function, int result) {
        if (result != 0) {
            String text = NativeText.at(HcclLibrary.HcclGetErrorString(result));
            String name = nameOf(result);
            throw failure(function, result, text.isEmpty() || text.contains(name) ? name : name + ", " + text);
        }
    }

    private static String nameOf(int result) {
        return NAMES.getOrDefault(result, "unknown");
    }

    private static HcclException failure(String function, int result, String name) {
        boolean timedOut = result == HCCL_TIMEOUT || result == AclLibrary.STREAM_TIMED_OUT;
        String detail = NativeText.at(AclLibrary.aclGetRecentErrMsg()).strip();
        return new HcclException(timedOut ? Reason.TIMED_OUT : Reason.BROKEN, function, result, name, detail);
    }
}
