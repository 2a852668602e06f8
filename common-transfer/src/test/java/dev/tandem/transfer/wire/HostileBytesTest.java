package dev.tandem.transfer.wire;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

class HostileBytesTest {

    private static final int ROUNDS = 100_000;

    /** The codes that begin strings, lists, maps, extensions and long numbers. */
    private static final int[] CODES = {
        0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc4, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcf, 0xd3, 0xd8, 0xd9,
        0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xff, 0x7f, 0x00
    };

    private final MessageCodec codec = new MessageCodec();
    private final MessageDecoder decoder = new MessageDecoder();

    @Test
    void mutatedMessagesAreDecodedOrRefused() {
        long seed = 20_260_801;
        var random = new SplittableRandom(seed);
        var messages = new RandomMessages(random);
        int refused = 0;
        byte[] payload = codec.encode(messages.next());
        for (int round = 0; round < ROUNDS; round++) {
            if (round % 20 == 0) {
                payload = codec.encode(messages.next());
            }
            refused += refused(mutate(payload, random), "seed %d, round %d".formatted(seed, round));
        }
        assertThat(refused).as("most mutations break a message").isGreaterThan(ROUNDS / 4);
    }

    @Test
    void everyCutOffMessageIsRefused() {
        var messages = new RandomMessages(new SplittableRandom(7));
        for (int type = 0; type < messages.types(); type++) {
            byte[] payload = codec.encode(messages.ofType(type));
            for (int length = 0; length < payload.length; length++) {
                assertThat(refused(Arrays.copyOf(payload, length), "type %d cut at %d".formatted(type, length)))
                        .isOne();
            }
        }
    }

    /** Nested lists that each claim to fill the rest of the message are where claims would add up. */
    @Test
    void aDeclaredLengthCostsNoMemory() {
        byte[] payload = new byte[1 << 20];
        payload[0] = (byte) 0x81;
        payload[1] = (byte) 0xa0;
        for (int level = 0; level < 7; level++) {
            int at = 2 + 5 * level;
            payload[at] = (byte) 0xdd;
            int claimed = payload.length - at - 5;
            payload[at + 1] = (byte) (claimed >> 24);
            payload[at + 2] = (byte) (claimed >> 16);
            payload[at + 3] = (byte) (claimed >> 8);
            payload[at + 4] = (byte) claimed;
        }

        long least = LongStream.generate(() -> allocatedBytes(() -> refused(payload, "nested claims")))
                .limit(5)
                .min()
                .orElseThrow();

        assertThat(refused(payload, "nested claims")).isOne();
        assertThat(least).isLessThan(64 << 10);
    }

    private static long allocatedBytes(Runnable work) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** @return 1 when refused, 0 when it happens to be a message still */
    private int refused(byte[] payload, String what) {
        try {
            decoder.decode(payload);
            return 0;
        } catch (MalformedMessageException e) {
            return 1;
        } catch (RuntimeException | StackOverflowError e) {
            return fail(what, e);
        }
    }

    private static byte[] mutate(byte[] original, SplittableRandom random) {
        byte[] payload = original.clone();
        for (int i = random.nextInt(4); i >= 0 && payload.length > 0; i--) {
            int at = random.nextInt(payload.length);
            payload = switch (random.nextInt(5)) {
                case 0 -> Arrays.copyOf(payload, at);
                case 1 -> Arrays.copyOf(payload, payload.length + 1 + random.nextInt(8));
                case 2 -> without(payload, at);
                case 3 -> with(payload, at, CODES[random.nextInt(CODES.length)]);
                default -> with(payload, at, random.nextInt(256));
            };
        }
        return payload;
    }

    private static byte[] with(byte[] payload, int at, int value) {
        byte[] changed = payload.clone();
        changed[at] = (byte) value;
        return changed;
    }

    private static byte[] without(byte[] payload, int at) {
        byte[] changed = Arrays.copyOf(payload, payload.length - 1);
        System.arraycopy(payload, at + 1, changed, at, changed.length - at);
        return changed;
    }
}
