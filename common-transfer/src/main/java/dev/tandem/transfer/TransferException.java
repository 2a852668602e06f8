package dev.tandem.transfer;

/** A step of a handshake or a transfer failed; the code says of which kind, the message who, what and the limit. */
public class TransferException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public TransferException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    public TransferException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }
}
