package dev.tandem.transfer.channel.hccl;

/**
 * The ACL runtime, {@code libascendcl.so}, mapped directly: pointers and sizes are longs. Unless it returns a text, a
 * function returns 0 or an error code.
 */
@SuppressWarnings("MemberName") // the names of the C functions
final class AclLibrary {

    static final String FILE = "libascendcl.so";

    static final int REPEATED_INITIALISATION = 100_002;
    static final int STREAM_TIMED_OUT = 507_046;

    /** Huge pages first, small ones where there are none. */
    static final int HUGE_PAGES_FIRST = 0;

    static final int HOST_TO_DEVICE = 1;
    static final int DEVICE_TO_HOST = 2;

    private AclLibrary() {}

    /** @param configPath 0 for the defaults */
    static native int aclInit(long configPath);

    /** Chooses the device for the calling thread only. */
    static native int aclrtSetDevice(int device);

    static native int aclrtCreateStream(long streamOut);

    /** Waits for the tasks that are still on the stream. */
    static native int aclrtDestroyStream(long stream);

    /** @param millis at least 1; -1 waits for ever */
    static native int aclrtSynchronizeStreamWithTimeout(long stream, int millis);

    static native int aclrtMalloc(long addressOut, long bytes, int policy);

    static native int aclrtFree(long address);

    static native int aclrtMallocHost(long addressOut, long bytes);

    static native int aclrtFreeHost(long address);

    static native int aclrtMemcpy(long to, long room, long from, long bytes, int kind);

    static native int aclrtGetPhyDevIdByLogicDevId(int device, long physicalOut);

    /** @return a C string */
    static native long aclrtGetSocName();

    /** @return a C string or 0: the last failure of the calling thread */
    static native long aclGetRecentErrMsg();
}
