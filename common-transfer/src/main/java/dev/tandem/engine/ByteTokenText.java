package dev.tandem.engine;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Text of a byte-level model: a token below 256 is a byte of UTF-8, any other has no text. */
final class ByteTokenText implements TokenText {

    private final List<String> stops;
    private final CharsetDecoder utf8 = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer bytes = ByteBuffer.allocate(8);
    private final CharBuffer chars = CharBuffer.allocate(16);
    private final StringBuilder held = new StringBuilder();
    private boolean stopped;

    ByteTokenText(List<String> stops) {
        this.stops = List.copyOf(stops);
    }

    @Override
    public String accept(int token) {
        if (stopped || token < 0 || token > 255) {
            return "";
        }
        bytes.put((byte) token).flip();
        utf8.decode(bytes, chars, false);
        bytes.compact();
        takeChars();
        return certain();
    }

    private void takeChars() {
        chars.flip();
        held.append(chars);
        chars.clear();
    }

    private String certain() {
        int stop = firstStop();
        if (stop >= 0) {
            stopped = true;
            return take(stop);
        }
        return take(held.length() - longestBeginning());
    }

    private int firstStop() {
        return stops.stream()
                .mapToInt(held::indexOf)
                .filter(at -> at >= 0)
                .min()
                .orElse(-1);
    }

    /** Length of the longest end of the held text that a stop string begins with. */
    private int longestBeginning() {
        int longest = 0;
        for (String stop : stops) {
            for (int length = Math.min(stop.length() - 1, held.length()); length > longest; length--) {
                if (stop.startsWith(held.substring(held.length() - length))) {
                    longest = length;
                }
            }
        }
        return longest;
    }

    private String take(int length) {
        String text = held.substring(0, length);
        held.delete(0, length);
        return text;
    }

    @Override
    public boolean stopped() {
        return stopped;
    }

    @Override
    public String rest() {
        if (stopped) {
            return "";
        }
        bytes.flip();
        utf8.decode(bytes, chars, true);
        utf8.flush(chars);
        takeChars();
        return take(held.length());
    }
}
