package dev.tandem.transfer.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;

import dev.tandem.transfer.ErrorCode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MessageCodecTest {

    private static final Notification.ProxyNotif NOTIF = new Notification.ProxyNotif("1", true, "", -1);

    private final MessageCodec codec = new MessageCodec();
    private final MessageDecoder decoder = new MessageDecoder();

    @Test
    void everyMessageSurvivesTheWire() {
        for (long seed = 0; seed < 200; seed++) {
            var messages = new RandomMessages(new SplittableRandom(seed));
            for (int type = 0; type < messages.types(); type++) {
                Message message = messages.ofType(type);
                assertThat(decoder.decode(codec.encode(message)))
                        .as("seed %d, type %d", seed, type)
                        .isEqualTo(message);
            }
        }
    }

    @Test
    void typeComesFirstAndAdditionsLast() throws IOException {
        var stamp = new Stamp("s", "i", OpaqueBytes.of(new byte[] {1}), "r");
        var chunks = new TransferRequest.Chunks(List.of("k"), 1, List.of(2L), "half", 3);
        var alloc = new TransferRequest.Alloc(chunks, "q", true, 1, stamp, "t", true);

        assertThat(keys(codec.encode(alloc)))
                .containsExactly(
                        "type",
                        "keys",
                        "fmt",
                        "shape",
                        "dtype",
                        "last_chunk_toks",
                        "req_id",
                        "is_last_batch",
                        "total_chunks",
                        "sender_id",
                        "incarnation",
                        "transfer_id",
                        "peer_token",
                        "receiver_incarnation",
                        "commit");
    }

    @Test
    void additionsAtTheirDefaultsAreNotWritten() throws IOException {
        assertThat(keys(codec.encode(NOTIF))).containsExactly("type", "req_id");
        assertThat(keys(codec.encode(new HandshakeReply.Ready(true, OpaqueBytes.EMPTY, "", 0, 0))))
                .containsExactly("type", "ok");
    }

    private static List<String> keys(byte[] payload) throws IOException {
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(payload)) {
            return unpacker.unpackValue().asMapValue().keySet().stream()
                    .map(key -> key.asStringValue().asString())
                    .toList();
        }
    }

    @Test
    void aPlainLmcacheSenderGetsTwoListsOrNothing() {
        var granted = new TransferReply.Alloc(List.of(0L), List.of(7L), List.of("u"), false, 9, List.of(3L), "", "");
        var refused = TransferReply.Alloc.failed("POOL_FULL", "no pages");
        var refusedPull = new TransferReply.PullAck(List.of(), true, "", "");

        assertThat(codec.encode(granted, AllocDialect.LMCACHE))
                .isEqualTo(map(
                        "type", "AllocResponse", "already_sent_indexes", new int[] {0}, "remote_indexes", new int[] {7
                        }));
        assertThat(codec.encode(refused, AllocDialect.LMCACHE)).isEmpty();
        assertThat(codec.encode(refusedPull, AllocDialect.LMCACHE)).isEmpty();
        assertThat(codec.encode(refused, AllocDialect.ASCEND)).isEqualTo(codec.encode(refused));
    }

    @Test
    void eachPortTakesItsOwnKindOfMessageOnly() {
        byte[] notif = codec.encode(NOTIF);
        byte[] ready = codec.encode(new HandshakeRequest.Ready("l", 0, ""));
        byte[] abort = codec.encode(new TransferRequest.Abort("t", Stamp.NONE, "r"));

        assertThat(codec.decodeNotification(notif)).isEqualTo(NOTIF);
        assertThatThrownBy(() -> codec.decodeHandshakeRequest(abort))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessage("type: expected a request of the init port, got AbortRequest");
        assertThatThrownBy(() -> codec.decodeTransferRequest(ready)).isInstanceOf(MalformedMessageException.class);
        assertThatThrownBy(() -> codec.decodeReply(notif)).isInstanceOf(MalformedMessageException.class);
        assertThatThrownBy(() -> codec.decodeNotification(ready)).isInstanceOf(MalformedMessageException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "c0                                     | message: expected map, got nil",
                "81a474797065c0                         | type: expected str, got nil",
                "81a474797065a0                         | type:  is not known",
                "8101c0                                 | key: expected str, got integer",
                "82a474797065aa50726f78794e6f746966a67265715f6964c40137 | req_id: expected str, got binary",
                "81a474797065aa50726f78794e6f746966     | req_id: missing",
                "81a474797065db7fffffff41               | type: declares a length of 2147483647, 1 bytes are left",
                "81a474797065dbffffffff41               | message: cut off or not MessagePack",
                "df7fffffff                             | message: declares a length of 2147483647, 0 bytes are left",
                "dfffffffff                             | message: cut off or not MessagePack",
                "81a178dd7fffffff                       | x: declares a length of 2147483647, 0 bytes are left",
                "81a178c67fffffff                       | x: declares a length of 2147483647, 0 bytes are left",
                "81a178c97fffffff01                     | x: declares a length of 2147483647, 0 bytes are left",
                "81a178df4000000001020304               | x: declares a length of 1073741824, 4 bytes are left",
                "82a474797065aa50726f78794e6f746966     | message: cut off or not MessagePack",
                "81a178c1                               | message: cut off or not MessagePack"
            })
    void aRefusalNamesTheFieldAndWhatWasExpected(String hex, String message) {
        byte[] payload = HexFormat.of().parseHex(hex);

        assertThatThrownBy(() -> decoder.decode(payload))
                .isInstanceOfSatisfying(
                        MalformedMessageException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
                .hasMessage(message);
    }

    @Test
    void nestingUpToEightLevelsIsPassedOver() {
        assertThat(decoder.decode(notifWithNesting(7))).isEqualTo(NOTIF);
        assertThatThrownBy(() -> decoder.decode(notifWithNesting(8)))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessage("x: nested deeper than 8");
    }

    /** @param levels arrays inside each other, inside the message's own map */
    private static byte[] notifWithNesting(int levels) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(HexFormat.of().parseHex("83a474797065aa50726f78794e6f746966a67265715f6964a131a178"));
        for (int i = 1; i < levels; i++) {
            out.write(0x91);
        }
        out.write(0x90);
        return out.toByteArray();
    }

    @Test
    void unknownFieldsMayHaveAnyKeysAndValues() {
        byte[] payload = map(
                "type", "ProxyNotif", "a", null, "b", 1.5, "c", new int[] {1, 2}, "crc32c", "not ours", "req_id", "1");

        assertThat(decoder.decode(payload)).isEqualTo(NOTIF);
    }

    @Test
    void tooManyKeysAreRefused() {
        var fields = new Object[2 * 257];
        for (int i = 0; i < fields.length; i += 2) {
            fields[i] = "key" + i;
            fields[i + 1] = i;
        }

        assertThatThrownBy(() -> decoder.decode(map(fields)))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessage("message: 257 keys, at most 256");
    }

    @Test
    void whatAStrangerSentIsQuotedShortAndPrintable() {
        byte[] payload = map("type", "evil\n" + "x".repeat(100_000));

        assertThatThrownBy(() -> decoder.decode(payload))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageStartingWith("type: evil?xxx")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(210));
    }

    @Test
    void aByteOrderMarkOrSurrogateIsNotMended() {
        byte[] surrogate = HexFormat.of().parseHex("82a474797065aa50726f78794e6f746966a67265715f6964a3eda080");
        byte[] overlong = HexFormat.of().parseHex("82a474797065aa50726f78794e6f746966a67265715f6964a2c080");
        byte[] mark = map("type", "ProxyNotif", "req_id", "\uFEFF1");

        assertThatThrownBy(() -> decoder.decode(surrogate)).hasMessageContaining("req_id: expected str");
        assertThatThrownBy(() -> decoder.decode(overlong)).hasMessageContaining("req_id: expected str");
        assertThat(((Notification.ProxyNotif) decoder.decode(mark)).reqId()).isEqualTo("\uFEFF1");
    }

    /** Packs names and values, which may be null, numbers, texts and int arrays. */
    private static byte[] map(@Nullable Object... fields) {
        try (var packer = MessagePack.newDefaultBufferPacker()) {
            packer.packMapHeader(fields.length / 2);
            for (@Nullable Object each : fields) {
                pack(packer, each);
            }
            return packer.toByteArray();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void pack(MessagePacker packer, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> packer.packNil();
            case String text -> {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                packer.packRawStringHeader(bytes.length).writePayload(bytes);
            }
            case Integer number -> packer.packInt(number);
            case Double number -> packer.packDouble(number);
            case int[] numbers -> {
                packer.packArrayHeader(numbers.length);
                for (int each : numbers) {
                    packer.packInt(each);
                }
            }
            default -> throw new AssertionError(value.getClass());
        }
    }
}
