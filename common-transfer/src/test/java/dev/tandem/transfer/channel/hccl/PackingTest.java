package dev.tandem.transfer.channel.hccl;

import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.RemoteRegion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PackingTest {

    private final ProbePage.Target probe =
            new ProbePage.Target(new RemoteRegion("probe", 0, 4 << 20, HcclMemory.PAGE), 64, "ab".repeat(32));
    private final DeviceEndpoint endpoint =
            new DeviceEndpoint("node-a", 3, "fe80::1", 16_666, Optional.of(new DeviceEndpoint.Place(77, "pod")));

    @Test
    void greetingArrivesAsItWasSent() {
        Greeting greeting = new Greeting(endpoint, probe);

        assertThat(Greeting.from(greeting.toBytes())).isEqualTo(greeting);
    }

    @Test
    void offerArrivesAsItWasSent() {
        OfferMeta offer = new OfferMeta("pair-1", "{\"version\":\"1.0\"}", probe, probe);

        assertThat(OfferMeta.from(offer.toBytes())).isEqualTo(offer);
    }

    @Test
    void bytesOfAnotherKindAreRefused() {
        byte[] greeting = new Greeting(endpoint, probe).toBytes();

        assertThatThrownBy(() -> OfferMeta.from(greeting)).isInstanceOf(ChannelException.class);
        assertThatThrownBy(() -> RegisteredMemory.imported(greeting)).isInstanceOf(ChannelException.class);
        assertThatThrownBy(() -> Greeting.from(new byte[0])).isInstanceOf(ChannelException.class);
    }

    @Test
    void trailingBytesAreRefused() {
        byte[] greeting = new Greeting(endpoint, probe).toBytes();

        assertThatThrownBy(() -> Greeting.from(Arrays.copyOf(greeting, greeting.length + 1)))
                .isInstanceOf(ChannelException.class)
                .hasMessage("hccl greeting: 1 bytes too many");
    }

    @Test
    void damagedBytesAreReadOrRefusedButNeverAnythingElse() {
        byte[] greeting = new Greeting(endpoint, probe).toBytes();
        byte[] offer = new OfferMeta("pair-1", "{}", probe, probe).toBytes();
        byte[] regions = Packing.REGIONS.pack(out -> {
            out.writeShort(1);
            out.writeUTF("kv-0");
            out.writeLong(2 << 20);
            out.writeLong(4096);
        });
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 2_000; round++) {
            readOrRefuse(Greeting::from, damaged(greeting, random), seed);
            readOrRefuse(OfferMeta::from, damaged(offer, random), seed);
            readOrRefuse(RegisteredMemory::imported, damaged(regions, random), seed);
        }
    }

    private static void readOrRefuse(Consumer<byte[]> reading, byte[] bytes, long seed) {
        try {
            reading.accept(bytes);
        } catch (ChannelException e) {
            assertThat(e.reason()).as("seed %d", seed).isEqualTo(Reason.INVALID);
        }
    }

    private static byte[] damaged(byte[] bytes, SplittableRandom random) {
        byte[] copy = Arrays.copyOf(bytes, random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length);
        for (int flips = random.nextInt(4); flips > 0 && copy.length > 0; flips--) {
            copy[random.nextInt(copy.length)] = (byte) random.nextInt(256);
        }
        return copy;
    }
}
