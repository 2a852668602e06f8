package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.TransferBatch;

import static dev.tandem.transfer.channel.hccl.ConnectedPair.SOON;
import static org.assertj.core.api.Assertions.assertThat;

class BatchCostIT {

    private static final int DESCRIPTORS = 64;
    private static final int ROUNDS = 600;
    private static final long MOST_NANOS = 5_000;

    /** Makes the same calls as the channel does, from C, and notes how long each put takes. */
    private static final String IN_C = """
            #include <stdint.h>
            #include <time.h>
            typedef int (*Put)(void *, uint32_t, void *, uint32_t, void *);
            typedef int (*Synchronise)(void *, int32_t);
            static int64_t now(void) {
                struct timespec t;
                clock_gettime(CLOCK_MONOTONIC, &t);
                return t.tv_sec * 1000000000LL + t.tv_nsec;
            }
            int time_puts(Put put, Synchronise synchronise, void **subject, uint32_t count, int64_t *nanos, int rounds) {
                for (int round = 0; round < rounds; round++) {
                    int64_t begin = now();
                    int result = put(subject[0], 0, subject[1], count, subject[2]);
                    nanos[round] = now() - begin;
                    if (result != 0 || synchronise(subject[2], 1000) != 0) {
                        return 1;
                    }
                }
                return 0;
            }
            """;

    @Test
    void batchOf64DescriptorsCostsUnderFiveMicrosecondsBeyondTheLibrary(@TempDir Path directory) throws Exception {
        Path inC = CCompiler.find().library(directory, "libtimeputs.so", IN_C);
        try (SimulatedNode sender = SimulatedNode.on(0, MemoryKind.HOST);
                SimulatedNode receiver = SimulatedNode.on(1, MemoryKind.HOST)) {
            MemoryRegion from = sender.share("from", 4 << 20);
            receiver.share("to", 4 << 20);
            ConnectedPair pair = ConnectedPair.of(sender, receiver);
            TransferBatch batch = new TransferBatch();
            for (int entry = 0; entry < DESCRIPTORS; entry++) {
                batch.add(from, entry * 128L, pair.receiversRegions().getFirst(), entry * 256L, 64, 0);
            }
            Communicator communicator =
                    ((HcclConnection) pair.sender()).lifeline().communicator();
            DescriptorArray descriptors = new DescriptorArray();
            NativeResult.requireAcl("aclrtSetDevice", AclLibrary.aclrtSetDevice(0));

            long javaNanos = typical(inJava(communicator, descriptors, batch));
            long cNanos = typical(inC(inC, communicator, descriptors));
            long wholeWrite = typical(wholeWrites(pair, batch));

            System.out.printf(
                    "put of %d descriptors: %,d ns from Java, %,d ns from C, whole write %,d ns%n",
                    DESCRIPTORS, javaNanos, cNanos, wholeWrite);
            assertThat(javaNanos - cNanos).isLessThan(MOST_NANOS);
        }
    }

    private static long[] inJava(Communicator communicator, DescriptorArray descriptors, TransferBatch batch) {
        long[] nanos = new long[ROUNDS];
        for (int round = -ROUNDS; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            descriptors.fill(batch);
            communicator.put(descriptors);
            nanos[Math.max(0, round)] = System.nanoTime() - begin;
            assertThat(communicator.synchronise(1000)).isTrue();
        }
        return nanos;
    }

    private static long[] inC(Path library, Communicator communicator, DescriptorArray descriptors) throws Exception {
        Map<String, Integer> global = Map.of(Library.OPTION_OPEN_FLAGS, 2);
        NativeLibrary timing = NativeLibrary.getInstance(library.toString(), global);
        Path simulator = SimulatorLibrary.directory();
        NativeLibrary acl =
                NativeLibrary.getInstance(simulator.resolve(AclLibrary.FILE).toString(), global);
        NativeLibrary hccl =
                NativeLibrary.getInstance(simulator.resolve("libhcomm.so").toString(), global);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment subject = arena.allocateFrom(
                    ValueLayout.JAVA_LONG,
                    privately(communicator, "handle"),
                    descriptors.addressOf(0),
                    privately(communicator, "stream"));
            MemorySegment nanos = arena.allocate(ValueLayout.JAVA_LONG, ROUNDS);
            int result = timing.getFunction("time_puts").invokeInt(new Object[] {
                hccl.getFunction("HcclBatchPut"),
                acl.getFunction("aclrtSynchronizeStreamWithTimeout"),
                subject.address(),
                DESCRIPTORS,
                nanos.address(),
                ROUNDS
            });
            assertThat(result).isZero();
            return nanos.toArray(ValueLayout.JAVA_LONG);
        }
    }

    private static long[] wholeWrites(ConnectedPair pair, TransferBatch batch) {
        long[] nanos = new long[ROUNDS];
        for (int round = -ROUNDS / 4; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            pair.sender().write(batch, Deadline.after(SOON));
            nanos[Math.max(0, round)] = System.nanoTime() - begin;
        }
        return nanos;
    }

    private static long privately(Communicator communicator, String field) throws ReflectiveOperationException {
        java.lang.reflect.Field found = Communicator.class.getDeclaredField(field);
        found.setAccessible(true);
        return found.getLong(communicator);
    }

    /** What one round in five beats: other work of the machine matters less there than in the middle. */
    private static long typical(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 5];
    }
}
