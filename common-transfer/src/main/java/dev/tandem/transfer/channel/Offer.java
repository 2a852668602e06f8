package dev.tandem.transfer.channel;

import dev.tandem.transfer.Deadline;

/** The receiver's half of one rendezvous, armed. Closing it before or during {@link #accept} cancels it. */
public interface Offer extends AutoCloseable {

    /** What the sender needs to connect; travels in the Init reply; at most 16 KiB. */
    byte[] meta();

    /**
     * Waits for the sender. Called once.
     *
     * @throws ChannelException when it did not come by the deadline or the offer was closed; nothing is left open then
     */
    Connection accept(Deadline deadline);

    /** Idempotent. A connection that {@link #accept} already returned stays open. */
    @Override
    void close();
}
