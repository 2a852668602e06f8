package dev.tandem.transfer.channel.tcp;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Buffers over registered regions, made once: a region may be larger than a buffer can be, so there is one for each
 * window of it. A buffer that is handed out is good until the next one of the same window is.
 */
final class RegionViews {

    private final LocalRegions regions;
    private final long windowBytes;
    private ByteBuffer[][] windows = new ByteBuffer[4][];

    RegionViews(LocalRegions regions) {
        this(regions, 1L << 30);
    }

    RegionViews(LocalRegions regions, long windowBytes) {
        this.regions = regions;
        this.windowBytes = windowBytes;
    }

    /** The bytes from {@code at} on, at most {@code most} of them; fewer where a window ends. */
    ByteBuffer piece(int region, long at, long most) {
        ByteBuffer view = view(region, (int) (at / windowBytes));
        int from = (int) (at % windowBytes);
        return view.limit((int) Math.min(from + most, view.capacity())).position(from);
    }

    private ByteBuffer view(int region, int window) {
        if (region >= windows.length) {
            windows = Arrays.copyOf(windows, 2 * region);
        }
        ByteBuffer[] views = windows[region];
        if (views == null) {
            views = new ByteBuffer[(int) Math.ceilDiv(regions.get(region).bytes(), windowBytes)];
            windows[region] = views;
        }
        ByteBuffer view = views[window];
        if (view == null) {
            view = make(region, window);
            views[window] = view;
        }
        return view;
    }

    private ByteBuffer make(int region, int window) {
        long from = window * windowBytes;
        long bytes = Math.min(windowBytes, regions.get(region).bytes() - from);
        return regions.get(region).segment().asSlice(from, bytes).asByteBuffer();
    }
}
