package dev.tandem.transfer;

import java.lang.foreign.MemorySegment;

/**
 * A contiguous piece of memory that is registered with a channel as a whole.
 *
 * @param id unique over processes and time
 * @param segment native memory, 2 MiB-aligned; of {@link MemoryKind#DEVICE} memory only address and size are valid
 * @param kind where it lives
 */
public record MemoryRegion(String id, MemorySegment segment, MemoryKind kind) {

    public MemoryRegion {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("memory region %s: not native memory".formatted(id));
        }
    }

    /** Size in bytes; may exceed 2 GiB. */
    public long bytes() {
        return segment.byteSize();
    }
}
