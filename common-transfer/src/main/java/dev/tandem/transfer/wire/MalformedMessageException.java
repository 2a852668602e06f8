package dev.tandem.transfer.wire;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/** Bytes that are not a message of the protocol; the message names the field and what was expected. */
public class MalformedMessageException extends TransferException {

    private static final long serialVersionUID = 1L;
    private static final int MAX_LENGTH = 200;

    MalformedMessageException(String message) {
        super(ErrorCode.BAD_REQUEST, printable(message));
    }

    MalformedMessageException(String message, Throwable cause) {
        super(ErrorCode.BAD_REQUEST, printable(message), cause);
    }

    /** The text may quote what a stranger sent, and goes into replies and logs. */
    private static String printable(String message) {
        String cut = message.length() <= MAX_LENGTH ? message : message.substring(0, MAX_LENGTH) + "...";
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
