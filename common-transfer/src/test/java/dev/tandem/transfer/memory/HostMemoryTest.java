package dev.tandem.transfer.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.TransferException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class HostMemoryTest {

    private static final long MIB = 1L << 20;
    private static final long MACHINE_BYTES = 64 * MIB;

    /** What the system maps, and what serves where it does not. */
    static Stream<Named<Supplier<HostMemory>>> kinds() {
        return Stream.of(
                Named.of("mapped", () -> new HostMemory(LinuxMemory.find(), MACHINE_BYTES)),
                Named.of("allocated", () -> new HostMemory(Optional.empty(), MACHINE_BYTES)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyRegionIsAlignedAndOfExactlyTheSizeAskedFor(Supplier<HostMemory> kind) {
        try (HostMemory memory = kind.get()) {
            for (long bytes : new long[] {1, 4096, 2 * MIB - 1, 2 * MIB, 3 * MIB + 5}) {
                MemoryRegion region = memory.allocate("kv-" + bytes, bytes);

                assertThat(region.segment().address() % (2 * MIB)).isZero();
                assertThat(region.bytes()).isEqualTo(bytes);
                assertThat(region.kind()).isEqualTo(MemoryKind.HOST);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void regionIsZeroAndWritableToItsLastByte(Supplier<HostMemory> kind) {
        try (HostMemory memory = kind.get()) {
            long bytes = 2 * MIB + 4097;
            MemorySegment segment = memory.allocate("kv-0", bytes).segment();

            assertThat(segment.mismatch(MemorySegment.ofArray(new byte[(int) bytes])))
                    .isEqualTo(-1);
            segment.fill((byte) 9);
            assertThat(segment.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 9);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void regionsDoNotOverlap(Supplier<HostMemory> kind) {
        try (HostMemory memory = kind.get()) {
            MemorySegment one = memory.allocate("kv-0", 3 * MIB).segment();
            MemorySegment other = memory.allocate("kv-1", 3 * MIB).segment();

            assertThat(one.asOverlappingSlice(other)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void usingARegionAfterCloseThrows(Supplier<HostMemory> kind) {
        HostMemory memory = kind.get();
        MemorySegment segment = memory.allocate("kv-0", 100).segment();

        memory.close();

        assertThatIllegalStateException().isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void closingTwiceIsHarmless(Supplier<HostMemory> kind) {
        HostMemory memory = kind.get();
        MemorySegment segment = memory.allocate("kv-0", 100).segment();

        memory.close();
        memory.close();

        assertThat(segment.scope().isAlive()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void allocatingAfterCloseThrows(Supplier<HostMemory> kind) {
        HostMemory memory = kind.get();
        memory.close();

        assertThatIllegalStateException().isThrownBy(() -> memory.allocate("kv-0", 100));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void moreThanTheMachineHasIsRefusedNamingBothSizes(Supplier<HostMemory> kind) {
        try (HostMemory memory = kind.get()) {
            memory.allocate("kv-0", MIB);

            assertThatExceptionOfType(TransferException.class)
                    .isThrownBy(() -> memory.allocate("kv-1", MACHINE_BYTES))
                    .withMessage("buffer kv-1 of 67108864 bytes: the machine has 67108864, 1048576 of them taken")
                    .extracting(TransferException::code)
                    .isEqualTo(ErrorCode.TOO_LARGE);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRefusalTakesNothing(Supplier<HostMemory> kind) {
        try (HostMemory memory = kind.get()) {
            assertThatExceptionOfType(TransferException.class)
                    .isThrownBy(() -> memory.allocate("kv-0", Long.MAX_VALUE));

            assertThat(memory.allocate("kv-1", 8 * MIB).bytes()).isEqualTo(8 * MIB);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void noBytesAreRefused(Supplier<HostMemory> kind) {
        try (HostMemory memory = kind.get()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> memory.allocate("kv-0", 0))
                    .withMessage("buffer kv-0: 0 bytes, at least 1 is needed");
        }
    }

    @ParameterizedTest
    @MethodSource("addressSpaceRefusals")
    void whatTheSystemCannotGiveIsRefused(Optional<LinuxMemory> system) {
        try (var memory = new HostMemory(system, Long.MAX_VALUE)) {
            assertThatExceptionOfType(TransferException.class)
                    .isThrownBy(() -> memory.allocate("kv-0", 1L << 60))
                    .extracting(TransferException::code)
                    .isEqualTo(ErrorCode.TOO_LARGE);
        }
    }

    static Stream<Named<Optional<LinuxMemory>>> addressSpaceRefusals() {
        return Stream.of(Named.of("mapped", LinuxMemory.find()), Named.of("allocated", Optional.empty()));
    }
}
