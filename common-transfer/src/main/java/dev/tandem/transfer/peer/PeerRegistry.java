package dev.tandem.transfer.peer;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Every peer this node knows, on either side, as it stands now. Thread-safe. */
public final class PeerRegistry {

    /** Every label that {@link PeerView#state} may have. */
    public static final List<String> STATES = List.of(
            "IDLE",
            "CONNECTING",
            "READY",
            "DRAINING",
            "BROKEN",
            "BACKOFF",
            "CLOSED",
            "ACCEPTING",
            "CONNECTED",
            "MEMORY_REGISTERED",
            "FAILED",
            "SUPERSEDED");

    private final Optional<PeerInitService> receivers;
    private final Optional<InboundPeers> senders;

    /**
     * @param receivers whom this node sends to, if it does
     * @param senders who sends to this node, if any may
     */
    public PeerRegistry(Optional<PeerInitService> receivers, Optional<InboundPeers> senders) {
        this.receivers = receivers;
        this.senders = senders;
    }

    public List<PeerView> peers() {
        Stream<PeerView> ours =
                receivers.stream().flatMap(service -> service.peers().stream()).map(PeerView::of);
        Stream<PeerView> theirs =
                senders.stream().flatMap(peers -> peers.sessions().stream()).map(PeerView::of);
        return Stream.concat(ours, theirs).toList();
    }

    public long inState(String state) {
        return peers().stream().filter(peer -> peer.state().equals(state)).count();
    }

    public Optional<PeerView> find(String id) {
        return peers().stream().filter(peer -> peer.id().equals(id)).findFirst();
    }
}
