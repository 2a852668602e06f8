package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;

import static org.assertj.core.api.Assertions.assertThat;

class DescriptorCostTest {

    private static final int DESCRIPTORS = 64;
    private static final int ROUNDS = 20_000;
    private static final long MIB = 1L << 20;

    /** A put that does nothing, so that all its cost is ours. */
    private static final String IDLE_PUT =
            "int idle_put(void *c, unsigned r, void *d, unsigned n, void *s) { return !c + !r + !d + !n + !s; }\n";

    @SuppressWarnings("MemberName") // the name of the C function
    private static final class IdlePut {

        static native int idle_put(long communicator, int remoteRank, long descriptors, int count, long stream);
    }

    @Test
    void batchOf64DescriptorsCostsUnderFiveMicroseconds(@TempDir Path directory) {
        Path library = CCompiler.find().library(directory, "libidleput.so", IDLE_PUT);
        Native.register(IdlePut.class, NativeLibrary.getInstance(library.toString()));
        TransferBatch batch = batch();
        DescriptorArray descriptors = new DescriptorArray();
        long[] nanos = new long[ROUNDS];

        for (int round = -ROUNDS; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            descriptors.fill(batch);
            int result = IdlePut.idle_put(1, 1, descriptors.addressOf(0), descriptors.size(), 1);
            nanos[Math.max(0, round)] = System.nanoTime() - begin;
            if (result != 0 || descriptors.size() != DESCRIPTORS) {
                throw new AssertionError(result + ", " + descriptors.size());
            }
        }

        Arrays.sort(nanos);
        System.out.printf("a batch of %d descriptors costs %,d ns%n", DESCRIPTORS, nanos[ROUNDS / 2]);
        assertThat(nanos[ROUNDS / 2]).isLessThan(5_000);
    }

    private static TransferBatch batch() {
        MemoryRegion local =
                new MemoryRegion("local", MemorySegment.ofAddress(2 * MIB).reinterpret(MIB), MemoryKind.DEVICE);
        RemoteRegion remote = new RemoteRegion("remote", 0, 4 * MIB, MIB);
        TransferBatch batch = new TransferBatch();
        for (int entry = 0; entry < DESCRIPTORS; entry++) {
            batch.add(local, entry * 128L, remote, entry * 256L, 64, 0);
        }
        return batch;
    }
}
