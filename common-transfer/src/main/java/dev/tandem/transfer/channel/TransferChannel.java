package dev.tandem.transfer.channel;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryRegion;

/**
 * Extension point: one fabric. Moves bytes between registered regions of two processes.
 *
 * <p>Shaped for one-sided fabrics first: accept and connect are one two-sided blocking rendezvous, memory may be on a
 * device, and the passive side cannot veto a write. What a channel must tell the other side travels as opaque bytes in
 * the handshake, so one handshake serves every channel:
 *
 * <pre>
 *   sender                                                    receiver
 *   greeting() ───────── Init ─────────────────────────────> offer(name, greeting, guard)   armed when it returns
 *   connect(name, offer.meta()) &lt;──────── Init reply ─────── offer.accept(deadline)         at the same time
 *   exportMemory() ───── MemReg ───────────────────────────> connection.importMemory(...)
 *   connection.importMemory(...) &lt;─────── MemReg reply ───── exportMemory()
 * </pre>
 *
 * <p>Thread-safe. {@code connect} and {@code accept} block and may run native code: call them on a platform thread of
 * the handshake's own.
 */
public interface TransferChannel extends AutoCloseable {

    ChannelKind kind();

    /**
     * Makes a region usable for transfers. All regions are registered before the first connection.
     *
     * @throws ChannelException when the fabric refuses the region
     */
    void register(MemoryRegion region);

    /** What this side tells the receiver in Init, so that it can make an offer; at most 4 KiB. */
    byte[] greeting();

    /**
     * Receiver side: arms a rendezvous for one peer.
     *
     * @param name unique over processes and time, printable ASCII, shorter than 128 bytes, the same on both sides
     * @param greeting the sender's {@link #greeting()}
     * @param guard asked before the peer touches memory of this side, where the fabric lets us
     * @throws ChannelException when the greeting cannot be used
     */
    Offer offer(String name, byte[] greeting, MemoryGuard guard);

    /**
     * Sender side: the other half of {@link Offer#accept}.
     *
     * @param offer the receiver's {@link Offer#meta()}
     * @throws ChannelException when there is no connection by the deadline; nothing is left open then
     */
    Connection connect(String name, byte[] offer, MemoryGuard guard, Deadline deadline);

    /** Handles of every registered region, for {@link Connection#importMemory} on the other side; at most 64 KiB. */
    byte[] exportMemory();

    /** Closes every connection and offer, and releases the registrations. Idempotent. */
    @Override
    void close();
}
