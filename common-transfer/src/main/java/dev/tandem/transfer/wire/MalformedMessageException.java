package dev.tandem.transfer.wire;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/** Bytes that are not a message of the protocol; the message names the field and what was expected. */
public class MalformedMessageException extends TransferException {

    private static final long serialVersionUID = 1L;

    MalformedMessageException(String message) {
        super(ErrorCode.BAD_REQUEST, message);
    }

    MalformedMessageException(String message, Throwable cause) {
        super(ErrorCode.BAD_REQUEST, message, cause);
    }
}
