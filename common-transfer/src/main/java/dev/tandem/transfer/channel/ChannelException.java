package dev.tandem.transfer.channel;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/** A channel's step failed. */
public class ChannelException extends TransferException {

    private static final long serialVersionUID = 1L;

    /** What holds afterwards. */
    public enum Reason {
        /** The peer refused an entry; the connection works on. */
        REFUSED(ErrorCode.STALE),
        /** Bytes from the other side are not what this channel speaks. */
        INVALID(ErrorCode.MEMORY_REJECTED),
        /** No answer in time; the connection is dead. */
        TIMED_OUT(ErrorCode.TIMEOUT),
        /** The connection is dead. */
        BROKEN(ErrorCode.PEER_LOST),
        /** This side closed it. */
        CLOSED(ErrorCode.PEER_LOST);

        private final ErrorCode code;

        Reason(ErrorCode code) {
            this.code = code;
        }
    }

    private final Reason reason;

    public ChannelException(Reason reason, String message) {
        super(reason.code, message);
        this.reason = reason;
    }

    public ChannelException(Reason reason, String message, Throwable cause) {
        super(reason.code, message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
