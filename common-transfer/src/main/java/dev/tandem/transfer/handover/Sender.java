package dev.tandem.transfer.handover;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.tandem.transfer.metrics.TransferMetrics;
import dev.tandem.transfer.peer.PeerInitService;

/**
 * The sender's side of handovers. Thread-safe.
 */
public final class Sender implements TransferLog, AutoCloseable {

    private final PeerInitService peers;
    private final Settings settings;
    private final TransferMetrics metrics;
    private final Set<OutgoingTransfer> open = ConcurrentHashMap.newKeySet();

    /**
     * How a sender writes.
     *
     * @param checksum whether a commit carries the CRC-32C of every chunk
     * @param requestTimeout how long an answer on the alloc port may take, beyond the receiver's allocation wait
     * @param writeTimeout how long one batch may take on the channel
     */
    public record Settings(boolean checksum, Duration requestTimeout, Duration writeTimeout) {}

    public Sender(PeerInitService peers, Settings settings, TransferMetrics metrics) {
        this.peers = peers;
        this.settings = settings;
        this.metrics = metrics;
    }

    /**
     * Begins a handover and returns at once: greeting the receiver and reserving its pages run while the engine
     * computes. The caller closes what it gets, before it gives up the pages it handed in.
     */
    public OutgoingTransfer open(Handover handover) {
        var transfer = new OutgoingTransfer(handover, peers, settings, metrics, open::remove);
        open.add(transfer);
        transfer.start();
        return transfer;
    }

    /** Transfers that are under way. */
    @Override
    public List<TransferView> transfers() {
        return open.stream().map(OutgoingTransfer::view).toList();
    }

    /** Aborts every transfer under way. */
    @Override
    public void close() {
        List.copyOf(open).forEach(OutgoingTransfer::close);
    }
}
