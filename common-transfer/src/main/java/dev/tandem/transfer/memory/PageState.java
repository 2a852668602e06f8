package dev.tandem.transfer.memory;

/**
 * What a page is in the middle of.
 *
 * <pre>
 *   FREE ──reserve──> RESERVED ──commit──> COMMITTED ──evict──> FREE
 *                      │    │
 *                      │    └─close, or commit of a duplicate──> FREE
 *                      └─lease ended──> QUARANTINED ──writer is known to have stopped──> FREE
 * </pre>
 */
enum PageState {
    /** Nobody's. */
    FREE,
    /** One writer may write it; no reader sees it. */
    RESERVED,
    /** Holds a visible chunk and does not change. */
    COMMITTED,
    /** Nobody's, but a writer may still be writing. */
    QUARANTINED;

    boolean mayBecome(PageState next) {
        return switch (this) {
            case FREE -> next == RESERVED;
            case RESERVED -> next != RESERVED;
            case COMMITTED, QUARANTINED -> next == FREE;
        };
    }
}
