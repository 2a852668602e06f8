package dev.tandem.transfer.channel.tcp;

import java.io.IOException;

/** A peer's batch breaks the rules; nothing of it has landed. */
final class InvalidBatchException extends IOException {

    private static final long serialVersionUID = 1L;

    private final transient Violation violation;
    private final int entry;

    /** @param entry that is wrong; -1 for the batch as a whole */
    InvalidBatchException(Violation violation, int entry, String found) {
        super("the peer's batch%s %s: %s"
                .formatted(entry < 0 ? "" : ", entry " + entry + ",", violation.sentence(), found));
        this.violation = violation;
        this.entry = entry;
    }

    Violation violation() {
        return violation;
    }

    int entry() {
        return entry;
    }
}
