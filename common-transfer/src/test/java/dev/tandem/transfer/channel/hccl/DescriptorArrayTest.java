package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;
import dev.tandem.transfer.channel.hccl.HcclLayouts.Descriptor;

import static org.assertj.core.api.Assertions.assertThat;

class DescriptorArrayTest {

    private static final long MIB = 1L << 20;

    private final MemoryRegion local = region("local", 16 * MIB);
    private final MemoryRegion localNext = region("local-next", 24 * MIB);
    private final RemoteRegion remote = new RemoteRegion("remote", 0, 64 * MIB, 8 * MIB);
    private final RemoteRegion remoteNext = new RemoteRegion("remote-next", 1, 72 * MIB, 8 * MIB);
    private final TransferBatch batch = new TransferBatch();
    private final DescriptorArray descriptors = new DescriptorArray();

    private record Piece(long local, long remote, long bytes) {}

    @Test
    void entriesThatContinueEachOtherOnBothSidesBecomeOne() {
        batch.add(local, 0, remote, MIB, 100, 0);
        batch.add(local, 100, remote, MIB + 100, 50, 0);
        batch.add(local, 150, remote, MIB + 151, 10, 0);
        batch.add(local, 170, remote, MIB + 161, 10, 0);

        descriptors.fill(batch);

        assertThat(pieces())
                .containsExactly(
                        new Piece(16 * MIB, 65 * MIB, 150),
                        new Piece(16 * MIB + 150, 65 * MIB + 151, 10),
                        new Piece(16 * MIB + 170, 65 * MIB + 161, 10));
    }

    @Test
    void neighbouringRegionsAreNeverJoined() {
        batch.add(local, 8 * MIB - 10, remote, 0, 10, 0);
        batch.add(localNext, 0, remote, 10, 10, 0);
        batch.add(localNext, 10, remote, 8 * MIB - 10, 10, 0);
        batch.add(localNext, 20, remoteNext, 0, 10, 0);

        descriptors.fill(batch);

        assertThat(pieces()).hasSize(4);
    }

    @Test
    void arrayIsReusedAndGrows() {
        for (int entries : List.of(1, 64, 1000, 3)) {
            batch.clear();
            for (int entry = 0; entry < entries; entry++) {
                batch.add(local, entry * 100L, remote, entry * 200L, 100, 0);
            }

            descriptors.fill(batch);

            assertThat(pieces()).hasSize(entries);
            assertThat(pieces().getLast())
                    .isEqualTo(new Piece(16 * MIB + (entries - 1) * 100L, 64 * MIB + (entries - 1) * 200L, 100));
        }
    }

    @Test
    void descriptorsCoverExactlyTheBatch() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            batch.clear();
            List<Piece> single = new ArrayList<>();
            long localAt = 0;
            long remoteAt = 0;
            for (int entry = 0; entry < random.nextInt(1, 200); entry++) {
                localAt += random.nextInt(4) == 0 ? 1 : 0;
                remoteAt += random.nextInt(4) == 0 ? 1 : 0;
                int bytes = random.nextInt(1, 1000);
                batch.add(local, localAt, remote, remoteAt, bytes, 0);
                for (int offset = 0; offset < bytes; offset += 97) {
                    single.add(new Piece(16 * MIB + localAt + offset, 64 * MIB + remoteAt + offset, 1));
                }
                localAt += bytes;
                remoteAt += bytes;
            }

            descriptors.fill(batch);

            assertThat(pieces().stream().mapToLong(Piece::bytes).sum())
                    .as("seed %d", seed)
                    .isEqualTo(batch.totalBytes());
            assertThat(single).as("seed %d", seed).allMatch(this::isCovered);
        }
    }

    private boolean isCovered(Piece single) {
        return pieces().stream()
                .anyMatch(piece -> single.local() - piece.local() == single.remote() - piece.remote()
                        && single.local() >= piece.local()
                        && single.local() < piece.local() + piece.bytes());
    }

    private List<Piece> pieces() {
        List<Piece> pieces = new ArrayList<>();
        for (int at = 0; at < descriptors.size(); at++) {
            MemorySegment descriptor =
                    MemorySegment.ofAddress(descriptors.addressOf(at)).reinterpret(Descriptor.BYTES);
            assertThat(descriptor.get(ValueLayout.JAVA_INT, Descriptor.DATA_TYPE))
                    .isEqualTo(7);
            pieces.add(new Piece(
                    descriptor.get(ValueLayout.JAVA_LONG, Descriptor.LOCAL),
                    descriptor.get(ValueLayout.JAVA_LONG, Descriptor.REMOTE),
                    descriptor.get(ValueLayout.JAVA_LONG, Descriptor.COUNT)));
        }
        return pieces;
    }

    private static MemoryRegion region(String id, long address) {
        return new MemoryRegion(id, MemorySegment.ofAddress(address).reinterpret(8 * MIB), MemoryKind.DEVICE);
    }
}
