package dev.tandem.transfer.channel;

import java.util.Locale;

/** The fabrics, in the order in which {@code auto} prefers them. */
public enum ChannelKind {
    HCCL(false),
    SHM(false),
    TCP(true);

    private final boolean guarded;

    ChannelKind(boolean guarded) {
        this.guarded = guarded;
    }

    /** Whether the passive side's {@link MemoryGuard} is asked before a peer's bytes land. */
    public boolean guarded() {
        return guarded;
    }

    /** The name in properties, offers, metric tags and logs. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
