package dev.tandem.transfer.wire;

import java.util.HashMap;
import java.util.Map;

/** Counts the requests under way at a server, in all and of each peer, and knows when there are enough. One thread's. */
final class UnderWay {

    private final int most;
    private final int mostPerPeer;
    private final Map<String, Integer> byPeer = new HashMap<>();
    private int all;

    UnderWay(int most, int mostPerPeer) {
        this.most = most;
        this.mostPerPeer = mostPerPeer;
    }

    /** @return false when the peer or the server has enough of them; nothing is counted then */
    boolean begin(String peer) {
        if (all >= most || byPeer.getOrDefault(peer, 0) >= mostPerPeer) {
            return false;
        }
        all++;
        byPeer.merge(peer, 1, Integer::sum);
        return true;
    }

    void end(String peer) {
        all--;
        byPeer.computeIfPresent(peer, (_, count) -> count > 1 ? count - 1 : null);
    }
}
