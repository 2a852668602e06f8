package dev.tandem.transfer.wire;

/**
 * Extension point: what happens on the sockets that an operator may want to count. Called on threads that others wait
 * for, so an implementation must be quick and must not throw.
 */
public interface WireEvents {

    /** Counts nothing. */
    WireEvents NONE = new WireEvents() {};

    /** Why a message was refused or dropped. */
    enum Rejection {
        /** Not a message of the port it came to. */
        MALFORMED,
        /** Nobody to answer to: no empty frame, or an envelope that no client of ours or upstream's makes. */
        NO_ENVELOPE,
        /** More bytes than a message may have. */
        TOO_LARGE,
        /** More requests under way than the server, or one peer at it, may have. */
        OVERLOADED,
        /** A handler failed on it. */
        FAILED
    }

    /** A message was refused, or dropped where there is no reply. */
    default void rejected(Rejection why) {}

    /** A reply came after its request was given up. */
    default void lateReply() {}

    /** A notification to a foreign proxy was dropped, since it could not be sent at once. */
    default void notificationDropped() {}

    /** ZeroMQ's own thread met something it could not handle, such as bytes that are not ZMTP. */
    default void socketFault(Throwable cause) {}
}
