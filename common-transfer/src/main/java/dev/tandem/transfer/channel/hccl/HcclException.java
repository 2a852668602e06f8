package dev.tandem.transfer.channel.hccl;

import dev.tandem.transfer.channel.ChannelException;

/** A native function failed. */
final class HcclException extends ChannelException {

    private static final long serialVersionUID = 1L;

    private final int result;

    /**
     * @param result what {@code function} returned
     * @param name of that result
     * @param detail the runtime's own words; may be empty
     */
    HcclException(Reason reason, String function, int result, String name, String detail) {
        super(reason, "%s: %d (%s)%s".formatted(function, result, name, detail.isEmpty() ? "" : ": " + detail));
        this.result = result;
    }

    int result() {
        return result;
    }
}
