package dev.tandem.transfer.channel.hccl;

import java.util.List;

/** The one-sided service of HCCL, mapped directly; otherwise as {@link AclLibrary}. */
@SuppressWarnings("MemberName") // the names of the C functions
final class HcclLibrary {

    /** The service moved to the first with CANN 8.5; before, it was in the second. */
    static final List<String> FILES = List.of("libhcomm.so", "libhccl.so");

    private HcclLibrary() {}

    /** @param rankTable a C string, JSON */
    static native int HcclCommInitClusterInfoMemConfig(long rankTable, int rank, long config, long communicatorOut);

    static native int HcclCommDestroy(long communicator);

    static native int HcclRegisterGlobalMem(long memory, long handleOut);

    static native int HcclDeregisterGlobalMem(long handle);

    static native int HcclCommBindMem(long communicator, long handle);

    static native int HcclCommUnbindMem(long communicator, long handle);

    /** Returns when the other side is in it too, or the time is over. */
    static native int HcclCommPrepare(long communicator, long config, int seconds);

    /** Returns when the work is on the stream, not when it is done. */
    static native int HcclBatchPut(long communicator, int remoteRank, long descriptors, int count, long stream);

    /** As {@link #HcclBatchPut}. */
    static native int HcclBatchGet(long communicator, int remoteRank, long descriptors, int count, long stream);

    /** @return a C string */
    static native long HcclGetErrorString(int result);

    static native int HcclGetCommAsyncError(long communicator, long resultOut);
}
