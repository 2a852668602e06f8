package dev.tandem.transfer.channel;

/**
 * Extension point: says whether a peer may touch this side's memory now. Asked per entry by fabrics where the passive
 * side sees a transfer coming; one-sided fabrics never ask. Called on the channel's threads; must not block.
 *
 * <p>One guard per connection.
 */
public interface MemoryGuard {

    /** Refuses everything. */
    MemoryGuard CLOSED = new MemoryGuard() {
        @Override
        public boolean beginWrite(String region, long offset, long bytes, long token) {
            return false;
        }

        @Override
        public void endWrite(String region, long offset) {}

        @Override
        public boolean beginRead(String region, long offset, long bytes, long token) {
            return false;
        }

        @Override
        public void endRead(String region, long offset) {}
    };

    /**
     * Asked before the first byte of an entry lands. The channel has checked that the range lies in the region.
     *
     * @return false to refuse; true admits, and {@link #endWrite} follows, whatever happens
     */
    boolean beginWrite(String region, long offset, long bytes, long token);

    /** Follows every admitted write: all bytes landed, or no more will. */
    void endWrite(String region, long offset);

    /** As {@link #beginWrite}, for bytes that the peer reads. */
    boolean beginRead(String region, long offset, long bytes, long token);

    /** As {@link #endWrite}. */
    void endRead(String region, long offset);
}
