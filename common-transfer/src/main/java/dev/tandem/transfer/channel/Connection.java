package dev.tandem.transfer.channel;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.tandem.transfer.Deadline;

/**
 * One generation's path to one peer. After any failure but {@link ChannelException.Reason#REFUSED} it is dead for good:
 * greet the peer again.
 *
 * <p>Thread-safe; transfers of one connection may run at the same time. They block: call them on platform threads.
 */
public interface Connection extends AutoCloseable {

    /**
     * Reads the other side's {@link TransferChannel#exportMemory()}.
     *
     * @return the other side's regions, in its order of registration
     * @throws ChannelException when the bytes are not valid handles; the connection stays open
     */
    List<RemoteRegion> importMemory(byte[] handles);

    /**
     * Writes local bytes into the peer's memory. When it returns, every byte has landed there.
     *
     * @throws ChannelException REFUSED when the peer's guard refused an entry (the others may have landed), else the
     *     connection is dead and any part of the batch may have landed
     */
    void write(TransferBatch batch, Deadline deadline);

    /** Reads the peer's bytes into local memory; otherwise as {@link #write}. */
    void read(TransferBatch batch, Deadline deadline);

    /**
     * Proves that the data path works, without touching the peer's memory.
     *
     * @throws ChannelException when it does not; the connection is dead then
     */
    void probe(Deadline deadline);

    /** Completes, once, with the cause when the connection dies or is closed. Never completes exceptionally. */
    CompletableFuture<ChannelException> closed();

    /**
     * Closes the connection and waits until no byte of the peer's can land in this side's memory any more.
     *
     * @return whether that is proven; if not by the deadline, pages the peer may write must stay in quarantine
     */
    boolean fence(Deadline deadline);

    /** Closes without waiting. Idempotent. */
    @Override
    void close();
}
