package dev.tandem.transfer;

import java.util.Optional;

/** Why a step failed; the same word on the wire, in metrics, in health and in the client's error body. */
public enum ErrorCode {
    /** MemReg, Ready or an allocation from a peer that has not said Init. */
    UNKNOWN_PEER,
    /** A newer handshake of the same peer took over. */
    SUPERSEDED,
    /** Names a generation, incarnation or write token that is no longer current. */
    STALE,
    /** The peer did not connect in time. */
    ACCEPT_TIMEOUT,
    /** Accepting the peer's connection failed. */
    ACCEPT_FAILED,
    /** The peer's memory handles could not be imported. */
    MEMORY_REJECTED,
    /** The two services differ in something both must share. */
    INCOMPATIBLE,
    /** The peer token is missing or wrong. */
    NOT_AUTHORIZED,
    /** The service takes no new work. */
    DRAINING,
    /** The message or a value in it is not acceptable. */
    BAD_REQUEST,
    /** No pages within the allocation wait. */
    POOL_FULL,
    /** The request needs more pages than the pool has. */
    TOO_LARGE,
    /** The lease of a reservation ended before its commit. */
    LEASE_EXPIRED,
    /** No such transfer. */
    UNKNOWN_TRANSFER,
    /** The bytes that arrived are not the bytes that were sent. */
    CHECKSUM_MISMATCH,
    /** The sender gave up. */
    ABORTED,
    /** The connection to the peer, or its process, is gone. */
    PEER_LOST,
    /** The peer does not answer; its back-off has not ended yet. */
    BACKING_OFF,
    /** No answer before the deadline. */
    TIMEOUT,
    /** A fault of this service. */
    INTERNAL;

    /** The code of that name; empty for one that this version does not know. */
    public static Optional<ErrorCode> of(String name) {
        for (ErrorCode code : values()) {
            if (code.name().equals(name)) {
                return Optional.of(code);
            }
        }
        return Optional.empty();
    }
}
