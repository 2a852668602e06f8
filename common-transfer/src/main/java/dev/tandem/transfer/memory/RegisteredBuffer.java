package dev.tandem.transfer.memory;

import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.RegionAllocator;

/**
 * A region divided into pages of equal size. The allocator it came from frees it.
 *
 * @param region what is registered with the channels as a whole
 * @param pageBytes size of a page, at least 1
 */
public record RegisteredBuffer(MemoryRegion region, long pageBytes) {

    public RegisteredBuffer {
        requireWholePages(region.id(), region.bytes(), pageBytes);
    }

    /**
     * Allocates a buffer. Blocks while the memory is touched.
     *
     * @param id unique over processes and time
     * @param bytes a whole number of pages, at least one and at most {@link Integer#MAX_VALUE}
     * @throws IllegalArgumentException naming the nearest sizes that will do, when {@code bytes} is none of these
     * @throws dev.tandem.transfer.TransferException when there is not that much memory
     */
    public static RegisteredBuffer allocate(RegionAllocator from, String id, long bytes, long pageBytes) {
        requireWholePages(id, bytes, pageBytes);
        return new RegisteredBuffer(from.allocate(id, bytes), pageBytes);
    }

    public int pages() {
        return Math.toIntExact(region.bytes() / pageBytes);
    }

    private static void requireWholePages(String id, long bytes, long pageBytes) {
        if (pageBytes < 1) {
            throw new IllegalArgumentException("buffer %s: pages of %d bytes".formatted(id, pageBytes));
        }
        if (bytes < 1 || bytes % pageBytes != 0) {
            throw new IllegalArgumentException("buffer %s: %d bytes are not a whole number of pages of %d bytes; use %s"
                    .formatted(id, bytes, pageBytes, nearest(bytes, pageBytes)));
        }
        if (bytes / pageBytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "buffer %s: %d pages, at most %d are possible".formatted(id, bytes / pageBytes, Integer.MAX_VALUE));
        }
    }

    private static String nearest(long bytes, long pageBytes) {
        long pagesBelow = Math.max(0, bytes) / pageBytes;
        String above = pagesBelow < Long.MAX_VALUE / pageBytes ? "" + (pagesBelow + 1) * pageBytes : "";
        String below = pagesBelow > 0 ? "" + pagesBelow * pageBytes : "";
        return below.isEmpty() || above.isEmpty() ? below + above : below + " or " + above;
    }
}
