package dev.tandem.transfer.peer;

import dev.tandem.transfer.TransferException;

/** Something that lives no longer than a session, such as a reservation its peer may write. */
public interface SessionResource {

    /** The session is over, but the peer may still be writing. Called once, on any thread; must not block. */
    void revoked(TransferException cause);

    /** It is proven that the peer cannot write any more. Called once, after {@link #revoked}. */
    void fenced();
}
