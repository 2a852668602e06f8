package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.tandem.transfer.channel.TransferBatch;
import dev.tandem.transfer.channel.hccl.HcclLayouts.Descriptor;

/**
 * The descriptors of one batch, in native memory. Grows to the largest batch it has held and is then reused. Entries
 * that continue each other on both sides, within one region each, become one descriptor.
 *
 * <p>Not thread-safe. The memory is freed when nothing refers to this object any more, so that the native side can
 * never outlive it by accident: whoever gives up on a call keeps the array with it.
 */
final class DescriptorArray {

    private MemorySegment descriptors = MemorySegment.NULL;
    private int size;

    void fill(TransferBatch batch) {
        ensureRoomFor(batch.size());
        size = 0;
        long localEnd = 0;
        long remoteEnd = 0;
        for (int entry = 0; entry < batch.size(); entry++) {
            long local = batch.local(entry).segment().address() + batch.localOffset(entry);
            long remote = batch.remote(entry).address() + batch.remoteOffset(entry);
            long bytes = batch.bytes(entry);
            if (local == localEnd && remote == remoteEnd && staysInItsRegions(batch, entry)) {
                extend(bytes);
            } else {
                append(local, remote, bytes);
            }
            localEnd = local + bytes;
            remoteEnd = remote + bytes;
        }
    }

    int size() {
        return size;
    }

    long addressOf(int descriptor) {
        return descriptors.address() + descriptor * Descriptor.BYTES;
    }

    private static boolean staysInItsRegions(TransferBatch batch, int entry) {
        return entry > 0
                && batch.local(entry).equals(batch.local(entry - 1))
                && batch.remote(entry).equals(batch.remote(entry - 1));
    }

    private void append(long local, long remote, long bytes) {
        long at = size++ * Descriptor.BYTES;
        descriptors.set(ValueLayout.JAVA_LONG, at + Descriptor.LOCAL, local);
        descriptors.set(ValueLayout.JAVA_LONG, at + Descriptor.REMOTE, remote);
        descriptors.set(ValueLayout.JAVA_LONG, at + Descriptor.COUNT, bytes);
    }

    private void extend(long bytes) {
        long at = (size - 1) * Descriptor.BYTES + Descriptor.COUNT;
        descriptors.set(ValueLayout.JAVA_LONG, at, descriptors.get(ValueLayout.JAVA_LONG, at) + bytes);
    }

    private void ensureRoomFor(int entries) {
        if (entries * Descriptor.BYTES <= descriptors.byteSize()) {
            return;
        }
        int capacity = Math.max(64, Integer.highestOneBit(entries) * 2);
        descriptors = Arena.ofAuto().allocate(capacity * Descriptor.BYTES, Long.BYTES);
        for (int descriptor = 0; descriptor < capacity; descriptor++) {
            descriptors.set(
                    ValueLayout.JAVA_INT, descriptor * Descriptor.BYTES + Descriptor.DATA_TYPE, Descriptor.UINT8);
        }
    }
}
