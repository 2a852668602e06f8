package dev.tandem.transfer;

import java.util.concurrent.ExecutionException;

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

    /** The failure that a future completed with, to be thrown by the thread that waited for it. */
    public static TransferException of(ExecutionException failed) {
        return failed.getCause() instanceof TransferException cause
                ? new TransferException(cause.code, cause.message(), cause)
                : new TransferException(ErrorCode.INTERNAL, String.valueOf(failed.getCause()), failed);
    }

    public ErrorCode code() {
        return code;
    }

    /** As {@link #getMessage}, which is never null here. */
    public String message() {
        return String.valueOf(getMessage());
    }
}
