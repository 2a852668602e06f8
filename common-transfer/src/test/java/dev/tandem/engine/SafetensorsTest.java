package dev.tandem.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class SafetensorsTest {

    private static final String TWO_TENSORS = """
            {"__metadata__": {"format": "pt"},
             "a": {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]},
             "b": {"dtype": "F32", "shape": [1], "data_offsets": [8, 12]}}   """;

    @Test
    void everyElementTypeIsReadAsFloats() {
        byte[] data = ByteBuffer.allocate(12)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort(Float.floatToFloat16(1.5f))
                .putShort(Float.floatToFloat16(-65504))
                .putShort((short) 0x3fc0)
                .putShort((short) 0xc000)
                .putFloat(0.1f)
                .array();
        var file = Safetensors.parse(file("""
                {"half": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]},
                 "brain": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [4, 8]},
                 "single": {"dtype": "F32", "shape": [], "data_offsets": [8, 12]}}""", data));

        assertThat(file.floats("half", 2)).containsExactly(1.5f, -65504);
        assertThat(file.floats("brain", 1, 2)).containsExactly(1.5f, -2);
        assertThat(file.floats("single")).containsExactly(0.1f);
    }

    @Test
    void missingTensorIsNamed() {
        var file = Safetensors.parse(file(TWO_TENSORS, new byte[12]));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> file.floats("c", 1))
                .withMessageContaining("no tensor c");
    }

    @Test
    void wrongShapeIsNamedWithTheRightOne() {
        var file = Safetensors.parse(file(TWO_TENSORS, new byte[12]));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> file.floats("a", 4, 1))
                .withMessageContaining("tensor a: shape [2, 2], must be [4, 1]");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, 0, 1, 1L << 32, 100, Long.MAX_VALUE})
    void hostileHeaderLengthIsRefused(long length) {
        byte[] file = ByteBuffer.allocate(40)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(length)
                .put("{}".getBytes(StandardCharsets.UTF_8))
                .array();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Safetensors.parse(file))
                .withMessageContaining("header of " + Long.toUnsignedString(length) + " bytes in a file of 40");
    }

    @Test
    void fileWithoutRoomForALengthIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Safetensors.parse(new byte[7]))
                .withMessageContaining("7 bytes are too few");
    }

    static Stream<Arguments> badHeaders() {
        return Stream.of(
                arguments("not an object", "[1, 2]", "not a JSON object"),
                arguments("not JSON", "{\"a\": ", "not JSON"),
                arguments("text behind the object", "{} {}", "not JSON"),
                arguments("no tensor's entry", "{\"a\": 3}", "tensor a: dtype ''"),
                arguments(
                        "a tensor twice",
                        "{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]},"
                                + " \"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]}}",
                        "not JSON: Duplicate"),
                arguments("unknown dtype", entry("I8", "[4]", "[0, 4]", "a"), "tensor a: dtype 'I8', only [F16, BF16"),
                arguments("dtype of another kind", entry("f16", "[2]", "[0, 4]", "a"), "dtype 'f16'"),
                arguments("no shape", "{\"a\": {\"dtype\": \"F32\", \"data_offsets\": [0, 4]}}", "no list shape"),
                arguments("negative size", entry("F32", "[-1]", "[0, 4]", "a"), "not all sizes"),
                arguments("fractional size", entry("F32", "[1.5]", "[0, 4]", "a"), "not all sizes"),
                arguments("huge size", entry("F32", "[18446744073709551617]", "[0, 4]", "a"), "not all sizes"),
                arguments("overflowing shape", entry("F32", "[4294967296, 4294967297]", "[0, 4]", "a"), "2^63"),
                arguments("one offset", entry("F32", "[1]", "[4]", "a"), "not a begin and an end"),
                arguments("offsets the wrong way", entry("F32", "[0]", "[4, 0]", "a"), "not a begin and an end"),
                arguments("offset as text", entry("F32", "[1]", "[0, \"4\"]", "a"), "not all sizes"),
                arguments("out of the file", entry("F32", "[2]", "[0, 8]", "a"), "tensor a: bytes 0..8"),
                arguments("too short for its shape", entry("F32", "[2]", "[0, 4]", "a"), "is 8 bytes"),
                arguments("data left over", entry("F16", "[1]", "[0, 2]", "a"), "4 bytes of data, the tensors have 2"),
                arguments("a gap before", entry("F16", "[1]", "[2, 4]", "a"), "tensor a: bytes 2..4"),
                arguments(
                        "overlapping tensors",
                        "{\"a\": {\"dtype\": \"F16\", \"shape\": [2], \"data_offsets\": [0, 4]},"
                                + " \"b\": {\"dtype\": \"F16\", \"shape\": [1], \"data_offsets\": [2, 4]}}",
                        "tensor b: bytes 2..4"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badHeaders")
    void badHeaderIsRefused(String what, String header, String message) {
        assertThatIllegalArgumentException()
                .as(what)
                .isThrownBy(() -> Safetensors.parse(file(header, new byte[4])))
                .withMessageContaining(message);
    }

    @Test
    void nothingButIllegalArgumentExceptionComesOfDamagedFiles() {
        byte[] sound = file(TWO_TENSORS, new byte[12]);
        for (long seed = 0; seed < 500; seed++) {
            byte[] damaged = sound.clone();
            var random = new SplittableRandom(seed);
            for (int i = 0; i < 3; i++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                Safetensors.parse(damaged);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("safetensors: ");
            } catch (RuntimeException e) {
                fail("seed " + seed, e);
            }
        }
    }

    private static String entry(String dtype, String shape, String offsets, String name) {
        return "{\"%s\": {\"dtype\": \"%s\", \"shape\": %s, \"data_offsets\": %s}}"
                .formatted(name, dtype, shape, offsets);
    }

    private static byte[] file(String header, byte[] data) {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Long.BYTES + text.length + data.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(text.length)
                .put(text)
                .put(data)
                .array();
    }
}
