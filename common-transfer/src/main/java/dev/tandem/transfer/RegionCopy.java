package dev.tandem.transfer;

import java.lang.foreign.MemorySegment;

/**
 * Extension point: moves bytes between the host and a region, wherever the region lives. Engines that compute on the
 * host use it to reach device memory, and so does the sampled verification of transfers.
 *
 * <p>Thread-safe. Both methods block until the bytes have moved, and throw {@link TransferException} when the device
 * fails; any part may have moved then.
 */
public interface RegionCopy {

    /** For regions that the host addresses: a plain copy. */
    RegionCopy HOST = new RegionCopy() {
        @Override
        public void copyIn(MemorySegment host, MemoryRegion region, long offset) {
            MemorySegment.copy(host, 0, region.segment(), offset, host.byteSize());
        }

        @Override
        public void copyOut(MemoryRegion region, long offset, MemorySegment host) {
            MemorySegment.copy(region.segment(), offset, host, 0, host.byteSize());
        }
    };

    /**
     * Fills the region from {@code offset} on with all of {@code host}.
     *
     * @param host native memory
     * @throws IndexOutOfBoundsException when it does not fit
     */
    void copyIn(MemorySegment host, MemoryRegion region, long offset);

    /**
     * Fills all of {@code host} with the region's bytes from {@code offset} on.
     *
     * @param host native memory
     * @throws IndexOutOfBoundsException when the region is too short
     */
    void copyOut(MemoryRegion region, long offset, MemorySegment host);
}
