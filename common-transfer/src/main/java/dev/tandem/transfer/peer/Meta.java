package dev.tandem.transfer.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelKind;
import dev.tandem.transfer.wire.OpaqueBytes;

/**
 * What a Tandem service says about itself in the opaque meta of an Init request or reply: the four bytes {@code TDM1}
 * and a MessagePack map. Anything else, such as upstream's Python pickles, is INCOMPATIBLE and is never interpreted.
 *
 * @param incarnation of the speaker
 * @param rank of the speaker, from 0
 * @param allocPort where a receiver takes allocations; 0 from a sender
 * @param compatibility what both must share
 * @param channels by fabric: a sender's greetings, all it has; a receiver's offer, the one it chose
 */
record Meta(
        Incarnation incarnation,
        int rank,
        int allocPort,
        Compatibility compatibility,
        Map<ChannelKind, OpaqueBytes> channels) {

    private static final byte[] MAGIC = {'T', 'D', 'M', '1'};
    private static final int MAX_ENTRIES = 64;
    private static final int MAX_VALUE_BYTES = 32 * 1024;

    Meta {
        channels = Map.copyOf(channels);
    }

    OpaqueBytes toBytes() {
        try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
            packer.addPayload(MAGIC);
            packer.packMapHeader(5);
            packer.packString("incarnation").packString(incarnation.value());
            packer.packString("rank").packInt(rank);
            packer.packString("alloc_port").packInt(allocPort);
            packer.packString("compatibility")
                    .packMapHeader(compatibility.fields().size());
            for (var field : compatibility.fields().entrySet()) {
                packer.packString(field.getKey()).packString(field.getValue());
            }
            packer.packString("channels").packMapHeader(channels.size());
            for (var channel : channels.entrySet()) {
                byte[] bytes = channel.getValue().toArray();
                packer.packString(channel.getKey().wireName()).packBinaryHeader(bytes.length);
                packer.addPayload(bytes);
            }
            return OpaqueBytes.of(packer.toByteArray());
        } catch (IOException e) {
            throw new IllegalStateException("packing into memory", e);
        }
    }

    /** @throws TransferException INCOMPATIBLE when these are not the bytes of a Tandem service */
    static Meta parse(OpaqueBytes meta) {
        byte[] bytes = meta.toArray();
        if (bytes.length < MAGIC.length || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new TransferException(
                    ErrorCode.INCOMPATIBLE,
                    "the meta does not begin with TDM1: the peer is not a Tandem service (KV moves between Tandem nodes only)");
        }
        try (MessageUnpacker unpacker =
                MessagePack.newDefaultUnpacker(bytes, MAGIC.length, bytes.length - MAGIC.length)) {
            return unpack(unpacker);
        } catch (IOException | MessagePackException | IllegalArgumentException e) {
            throw new TransferException(ErrorCode.INCOMPATIBLE, "the meta cannot be read: " + e.getMessage(), e);
        }
    }

    private static Meta unpack(MessageUnpacker unpacker) throws IOException {
        var incarnation = "";
        int rank = 0;
        int allocPort = 0;
        var compatibility = new Compatibility(Map.of());
        Map<ChannelKind, OpaqueBytes> channels = Map.of();
        for (int entries = entries(unpacker); entries > 0; entries--) {
            switch (text(unpacker)) {
                case "incarnation" -> incarnation = text(unpacker);
                case "rank" -> rank = unpacker.unpackInt();
                case "alloc_port" -> allocPort = unpacker.unpackInt();
                case "compatibility" -> compatibility = unpackCompatibility(unpacker);
                case "channels" -> channels = unpackChannels(unpacker);
                default -> unpacker.skipValue();
            }
        }
        return new Meta(new Incarnation(incarnation), rank, allocPort, compatibility, channels);
    }

    private static Compatibility unpackCompatibility(MessageUnpacker unpacker) throws IOException {
        var fields = new LinkedHashMap<String, String>();
        for (int entries = entries(unpacker); entries > 0; entries--) {
            fields.put(text(unpacker), text(unpacker));
        }
        return new Compatibility(fields);
    }

    private static Map<ChannelKind, OpaqueBytes> unpackChannels(MessageUnpacker unpacker) throws IOException {
        var channels = new EnumMap<ChannelKind, OpaqueBytes>(ChannelKind.class);
        for (int entries = entries(unpacker); entries > 0; entries--) {
            String name = text(unpacker);
            byte[] bytes = unpacker.readPayload(bounded(unpacker.unpackBinaryHeader()));
            for (ChannelKind kind : ChannelKind.values()) {
                if (kind.wireName().equals(name)) {
                    channels.put(kind, OpaqueBytes.of(bytes));
                }
            }
        }
        return channels;
    }

    private static int entries(MessageUnpacker unpacker) throws IOException {
        int entries = unpacker.unpackMapHeader();
        if (entries > MAX_ENTRIES) {
            throw new IllegalArgumentException("a map of %d entries, at most %d".formatted(entries, MAX_ENTRIES));
        }
        return entries;
    }

    private static String text(MessageUnpacker unpacker) throws IOException {
        byte[] bytes = unpacker.readPayload(bounded(unpacker.unpackRawStringHeader()));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static int bounded(int bytes) {
        if (bytes > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("a value of %d bytes, at most %d".formatted(bytes, MAX_VALUE_BYTES));
        }
        return bytes;
    }
}
