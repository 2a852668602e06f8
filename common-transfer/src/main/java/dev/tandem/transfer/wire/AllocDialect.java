package dev.tandem.transfer.wire;

/** Which upstream's sender the allocation replies are for. */
public enum AllocDialect {
    /** {@code AscendAllocResponse}, with buffer ids and errors in the reply. */
    ASCEND,
    /** {@code AllocResponse}, with the two index lists alone; an error is an empty payload. */
    LMCACHE
}
