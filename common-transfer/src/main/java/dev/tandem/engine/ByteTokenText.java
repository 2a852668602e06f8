package dev.tandem.engine;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Text of a byte-level model: an id below 256 is a byte of UTF-8, the two marks have no text.
 *
 * <p>Of several stop strings, the one that begins first ends the text, whichever is complete first: what comes out does
 * not depend on how the text was cut into tokens.
 */
final class ByteTokenText implements TokenText {

    private static final int LONGEST_CHARACTER = 4;

    private final List<String> stops;
    private final CharsetDecoder utf8 = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer bytes = ByteBuffer.allocate(LONGEST_CHARACTER);
    private final CharBuffer chars = CharBuffer.allocate(2 * LONGEST_CHARACTER);
    private String held = "";
    private boolean stopped;

    /** @throws IllegalArgumentException when a stop string is empty */
    ByteTokenText(List<String> stops) {
        if (stops.contains("")) {
            throw new IllegalArgumentException("stop string %d is empty".formatted(stops.indexOf("")));
        }
        this.stops = stops.stream().filter(ByteTokenText::hasWholeCharacters).toList();
    }

    /** Text never has half a character, so a stop string that has one is never met. */
    private static boolean hasWholeCharacters(String stop) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(stop);
    }

    @Override
    public String accept(int token) {
        if (token < 0 || token >= ByteTokens.VOCABULARY) {
            throw new IllegalArgumentException("token %d, must be 0..%d".formatted(token, ByteTokens.VOCABULARY - 1));
        }
        if (stopped || token >= ByteTokens.BEGIN) {
            return "";
        }
        bytes.put((byte) token).flip();
        utf8.decode(bytes, chars, false);
        bytes.compact();
        holdDecoded();
        return release(false);
    }

    @Override
    public boolean stopped() {
        return stopped;
    }

    @Override
    public String rest() {
        bytes.flip();
        utf8.decode(bytes, chars, true);
        utf8.flush(chars);
        utf8.reset();
        bytes.clear();
        holdDecoded();
        return release(true);
    }

    private void holdDecoded() {
        held += chars.flip();
        chars.clear();
    }

    /** Hands out the held text up to the first stop string, or, unless the text is complete, what may become one. */
    private String release(boolean complete) {
        for (int at = 0; at < held.length(); at++) {
            if (stopsAt(at)) {
                stopped = true;
                return release(at, held.length());
            }
            if (!complete && mayStopAt(at)) {
                return release(at, at);
            }
        }
        return release(held.length(), held.length());
    }

    private String release(int end, int heldFrom) {
        String text = held.substring(0, end);
        held = held.substring(heldFrom);
        return text;
    }

    private boolean stopsAt(int at) {
        return stops.stream().anyMatch(stop -> held.startsWith(stop, at));
    }

    private boolean mayStopAt(int at) {
        String end = held.substring(at);
        return stops.stream().anyMatch(stop -> stop.startsWith(end));
    }
}
