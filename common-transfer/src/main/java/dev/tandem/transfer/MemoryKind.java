package dev.tandem.transfer;

/** Where a memory region lives. */
public enum MemoryKind {
    /** The host can address it. */
    HOST,
    /** Only the device can; its segment carries the address and must not be dereferenced. */
    DEVICE
}
