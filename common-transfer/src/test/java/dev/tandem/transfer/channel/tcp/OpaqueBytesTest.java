package dev.tandem.transfer.channel.tcp;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.RemoteRegion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What the handshake carries for this fabric: greeting, offer, memory handles. */
class OpaqueBytesTest {

    private static MemoryRegion region(String id, long bytes) {
        return new MemoryRegion(id, MemorySegment.ofAddress(1 << 20).reinterpret(bytes), MemoryKind.HOST);
    }

    private static LocalRegions regions(MemoryRegion... all) {
        var regions = new LocalRegions();
        for (MemoryRegion region : all) {
            regions.add(region);
        }
        return regions;
    }

    static Stream<Arguments> valid() {
        return Stream.of(
                arguments("greeting", new Greeting(2, 100).toBytes(), (Function<byte[], ?>) Greeting::parse),
                arguments("offer", new OfferMeta("node-a", 7000, 2, 100, Tag.random()).toBytes(), (Function<byte[], ?>)
                        OfferMeta::parse),
                arguments(
                        "handles",
                        regions(region("kv-0", 4096), region("kv-1", 5L << 30)).export(),
                        (Function<byte[], ?>) LocalRegions::parse));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("valid")
    void everyShorterOrLongerFormIsInvalid(String name, byte[] valid, Function<byte[], ?> parser) {
        assertThat(parser.apply(valid)).isNotNull();
        for (int length = 0; length <= valid.length + 9; length++) {
            if (length != valid.length) {
                assertInvalid(Arrays.copyOf(valid, length), parser, "length " + length);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("valid")
    void changedBytesParseOrAreInvalidButNothingElse(String name, byte[] valid, Function<byte[], ?> parser) {
        var random = new SplittableRandom(42);
        for (int round = 0; round < 5000; round++) {
            byte[] changed = valid.clone();
            for (int i = random.nextInt(1, 5); i > 0; i--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                var _ = parser.apply(changed);
            } catch (ChannelException e) {
                assertThat(e.reason()).as("seed 42, round %d", round).isEqualTo(ChannelException.Reason.INVALID);
            }
        }
    }

    private static void assertInvalid(byte[] bytes, Function<byte[], ?> parser, String what) {
        assertThatThrownBy(() -> parser.apply(bytes))
                .as(what)
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.reason()).isEqualTo(ChannelException.Reason.INVALID));
    }

    @Test
    void offerKeepsWhatItSays() {
        var meta = new OfferMeta("fe80::1%eth0", 65_535, 64, 65_536, Tag.random());

        OfferMeta parsed = OfferMeta.parse(meta.toBytes());

        assertThat(parsed)
                .extracting(OfferMeta::host, OfferMeta::port, OfferMeta::sockets, OfferMeta::batchEntries)
                .containsExactly("fe80::1%eth0", 65_535, 64, 65_536);
        assertThat(parsed.tag().matches(meta.tag())).isTrue();
        assertThat(parsed.tag().matches(Tag.random())).isFalse();
    }

    @Test
    void handlesKeepIdsAndSizesInOrder() {
        byte[] handles = regions(region("kv-0", 4096), region("kv-1", 5L << 30)).export();

        assertThat(LocalRegions.parse(handles))
                .containsExactly(new RemoteRegion("kv-0", 0, 0, 4096), new RemoteRegion("kv-1", 1, 0, 5L << 30));
    }

    @Test
    void mostRegionsFitTheHandshakesLimit() {
        var regions = new LocalRegions();
        for (int i = 0; i < 256; i++) {
            regions.add(region("%0200d".formatted(i), 4096));
        }

        assertThat(regions.export()).hasSizeLessThanOrEqualTo(64 << 10);
        assertThatThrownBy(() -> regions.add(region("one more", 4096))).hasMessageContaining("one more than 256");
    }

    @Test
    void regionIsRegisteredOnce() {
        LocalRegions regions = regions(region("kv-0", 4096));

        assertThatThrownBy(() -> regions.add(region("kv-0", 4096))).hasMessageContaining("registered already");
        assertThatThrownBy(() -> regions.add(region("x".repeat(201), 4096))).hasMessageContaining("201 bytes");
    }

    @Test
    void regionOfTheSameNameButOtherSizeIsNotTheRegisteredOne() {
        LocalRegions regions = regions(region("kv-0", 4096));

        assertThatThrownBy(() -> regions.requireRegistered(region("kv-0", 8192)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
