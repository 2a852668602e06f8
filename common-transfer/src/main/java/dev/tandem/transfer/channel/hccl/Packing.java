package dev.tandem.transfer.channel.hccl;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;

import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/** The bytes that this channel puts into the handshake: a mark that says what they are, then the fields in order. */
enum Packing {
    GREETING(0x48_47_00_01, 4 * 1024),
    OFFER(0x48_4F_00_01, 16 * 1024),
    REGIONS(0x48_52_00_01, 64 * 1024);

    private final int mark;
    private final int mostBytes;

    Packing(int mark, int mostBytes) {
        this.mark = mark;
        this.mostBytes = mostBytes;
    }

    @FunctionalInterface
    interface Fields {
        void writeTo(DataOutputStream out) throws IOException;
    }

    @FunctionalInterface
    interface Reading<T> {
        T from(DataInputStream in) throws IOException;
    }

    byte[] pack(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(mark);
            fields.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (bytes.size() > mostBytes) {
            throw new IllegalStateException(
                    "hccl %s: %d bytes, at most %d can be sent".formatted(this, bytes.size(), mostBytes));
        }
        return bytes.toByteArray();
    }

    /** @throws ChannelException INVALID when the bytes are not of this kind */
    <T> T unpack(byte[] bytes, Reading<T> reading) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (bytes.length > mostBytes || in.readInt() != mark) {
                throw invalid("these bytes are something else");
            }
            T fields = reading.from(in);
            if (in.available() > 0) {
                throw invalid(in.available() + " bytes too many");
            }
            return fields;
        } catch (IOException | IllegalArgumentException e) {
            throw invalid(e.toString());
        }
    }

    private ChannelException invalid(String why) {
        return new ChannelException(Reason.INVALID, "hccl %s: %s".formatted(this, why));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
