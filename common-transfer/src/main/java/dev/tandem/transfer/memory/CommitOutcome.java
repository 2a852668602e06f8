package dev.tandem.transfer.memory;

/** What became of a commit. */
public enum CommitOutcome {
    /** The chunk is visible to readers now. */
    COMMITTED,
    /** Another commit of this key was first; its page serves, this one is free again. */
    DUPLICATE,
    /** The reservation is quarantined or closed; the chunk does not become visible. */
    REFUSED
}
