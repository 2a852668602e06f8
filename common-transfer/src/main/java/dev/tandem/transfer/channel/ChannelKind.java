package dev.tandem.transfer.channel;

import java.util.Locale;

/** The fabrics, in the order in which {@code auto} prefers them. */
public enum ChannelKind {
    HCCL,
    SHM,
    TCP;

    /** The name in properties, offers, metric tags and logs. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
