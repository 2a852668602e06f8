package dev.tandem.transfer;

/**
 * Extension point: where registered memory comes from (host memory, a tmpfs file, a device). What was allocated lives
 * until the allocator is closed.
 */
public interface RegionAllocator extends AutoCloseable {

    /**
     * Allocates {@code bytes} of memory, 2 MiB-aligned and touched, so that the first transfer does not pay for page
     * faults.
     *
     * @throws TransferException with {@link ErrorCode#TOO_LARGE} when there is not that much memory
     */
    MemoryRegion allocate(String id, long bytes);

    /** Frees every region of this allocator. Nothing may use them any more. */
    @Override
    void close();
}
