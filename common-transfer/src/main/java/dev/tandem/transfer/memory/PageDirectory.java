package dev.tandem.transfer.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Where every page of the pool is. Immutable; the slots in it are not. */
final class PageDirectory {

    private final PageSlot[] slots;
    private final Map<String, PageSlot[]> slotsByRegion = new HashMap<>();
    private final long pageBytes;

    /** @throws IllegalArgumentException when there are none, one stands there twice, or their page sizes differ */
    PageDirectory(List<RegisteredBuffer> buffers) {
        if (buffers.isEmpty()) {
            throw new IllegalArgumentException("chunk store: no buffers");
        }
        pageBytes = buffers.getFirst().pageBytes();
        var all = new ArrayList<PageSlot>();
        for (RegisteredBuffer buffer : buffers) {
            all.addAll(List.of(add(buffer, all.size())));
        }
        slots = all.toArray(PageSlot[]::new);
    }

    int total() {
        return slots.length;
    }

    long pageBytes() {
        return pageBytes;
    }

    /** @param position from 0, in the order of the buffers */
    PageSlot at(int position) {
        return slots[position];
    }

    /** The page that begins there, if there is one. */
    @Nullable
    PageSlot at(String region, long offset) {
        PageSlot[] ofRegion = slotsByRegion.get(region);
        if (ofRegion == null || offset < 0 || offset % pageBytes != 0 || offset / pageBytes >= ofRegion.length) {
            return null;
        }
        return ofRegion[(int) (offset / pageBytes)];
    }

    private PageSlot[] add(RegisteredBuffer buffer, int firstPosition) {
        String id = buffer.region().id();
        if (buffer.pageBytes() != pageBytes) {
            throw new IllegalArgumentException("buffer %s: pages of %d bytes, those of the first buffer have %d"
                    .formatted(id, buffer.pageBytes(), pageBytes));
        }
        var slots = new PageSlot[buffer.pages()];
        for (int index = 0; index < slots.length; index++) {
            slots[index] = new PageSlot(new Page(buffer, index), firstPosition + index);
        }
        if (slotsByRegion.put(id, slots) != null) {
            throw new IllegalArgumentException("buffer %s: stands there twice".formatted(id));
        }
        return slots;
    }
}
