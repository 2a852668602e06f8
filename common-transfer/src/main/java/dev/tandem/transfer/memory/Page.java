package dev.tandem.transfer.memory;

import java.lang.foreign.MemorySegment;

import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.PageRef;

/**
 * A fixed-size slot of a registered buffer, big enough for one chunk. Says where the page is, not who may touch it.
 *
 * @param index from 0
 */
public record Page(RegisteredBuffer buffer, int index) {

    public Page {
        if (index < 0 || index >= buffer.pages()) {
            throw new IndexOutOfBoundsException("page %d of buffer %s: it has %d"
                    .formatted(index, buffer.region().id(), buffer.pages()));
        }
    }

    /** The page's name for other processes. */
    public PageRef ref() {
        return new PageRef(region().id(), index);
    }

    public MemoryRegion region() {
        return buffer.region();
    }

    /** Where the page begins in its region, in bytes. */
    public long offset() {
        return index * buffer.pageBytes();
    }

    /**
     * The first bytes of the page, in place.
     *
     * @param bytes 0 to the size of a page
     */
    public MemorySegment segment(long bytes) {
        if (bytes < 0 || bytes > buffer.pageBytes()) {
            throw new IndexOutOfBoundsException("%d bytes of %s: it has %d".formatted(bytes, this, buffer.pageBytes()));
        }
        return region().segment().asSlice(offset(), bytes);
    }

    @Override
    public String toString() {
        return "page %d of buffer %s".formatted(index, region().id());
    }
}
