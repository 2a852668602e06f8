package dev.tandem.transfer.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.ChunkKeys;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.handover.Handover;
import dev.tandem.transfer.handover.OutgoingTransfer;
import dev.tandem.transfer.handover.Sender;
import dev.tandem.transfer.handover.StoreGuard;
import dev.tandem.transfer.memory.Allocation;
import dev.tandem.transfer.peer.HandshakeSettings;
import dev.tandem.transfer.peer.PeerInitService;

/** A sender in this process, wired as the prefill service wires it. */
public final class SenderNode extends TestNode {

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final HandshakeSettings settings;
    private final PeerInitService peers;
    private final Sender sender;

    public SenderNode(Duration stepTimeout) {
        super(stepTimeout);
        settings = new HandshakeSettings(
                "sender-" + NAMES.incrementAndGet(),
                incarnation,
                0,
                0,
                compatibility(LAYOUT),
                stepTimeout,
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                Duration.ofSeconds(1));
        peers = new PeerInitService(settings, channels, new StoreGuard(store), sockets, () -> "ready", metrics);
        sender = new Sender(peers, new Sender.Settings(true, Duration.ofSeconds(5), Duration.ofSeconds(5)), metrics);
    }

    public static SenderNode usual() {
        return new SenderNode(Duration.ofSeconds(5));
    }

    public PeerInitService peers() {
        return peers;
    }

    public HandshakeSettings settings() {
        return settings;
    }

    /** Keys of a prompt of this many tokens that begins with {@code first}. */
    public static List<ChunkKey> keys(int first, int tokens) {
        var prompt = new int[tokens];
        prompt[0] = first;
        return new ChunkKeys("test", 1, 0, LAYOUT).of(prompt, tokens);
    }

    /** Pages filled with a pattern of the first token's, one for each chunk. */
    public Allocation compute(int first, int tokens) throws InterruptedException {
        List<ChunkKey> keys = keys(first, tokens);
        var bytes = new long[keys.size()];
        for (int chunk = 0; chunk < bytes.length; chunk++) {
            bytes[chunk] = LAYOUT.chunkBytes(Math.min(4, tokens - 4 * chunk));
        }
        Allocation allocation = store.allocate(keys, bytes, Deadline.after(Duration.ofSeconds(1)));
        for (int chunk = 0; chunk < bytes.length; chunk++) {
            allocation.page(chunk).segment(bytes[chunk]).fill((byte) (first + chunk));
        }
        return allocation;
    }

    /** Begins to hand a prompt's chunks to a receiver. */
    public OutgoingTransfer open(ReceiverNode to, String reqId, int first, int tokens) {
        return sender.open(new Handover(
                to.id(),
                to.allocPort(),
                reqId,
                keys(first, tokens),
                LAYOUT,
                (tokens - 1) % 4 + 1,
                Deadline.after(Duration.ofSeconds(10))));
    }

    /** The bytes that a receiver must find: one list for each chunk. */
    public static List<byte[]> expected(int first, int tokens) {
        var chunks = new ArrayList<byte[]>();
        for (int chunk = 0; 4 * chunk < tokens; chunk++) {
            var bytes = new byte[(int) LAYOUT.chunkBytes(Math.min(4, tokens - 4 * chunk))];
            Arrays.fill(bytes, (byte) (first + chunk));
            chunks.add(bytes);
        }
        return chunks;
    }

    @Override
    public void close() {
        sender.close();
        peers.close();
        super.close();
    }
}
