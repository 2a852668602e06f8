package dev.tandem.transfer.channel.hccl;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.FutureTask;

import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.Pair;

import static dev.tandem.transfer.channel.Pair.soon;

/**
 * A receiver in a process of its own. Reads one command a line and answers each with one line; see {@link PeerProcess}
 * for the other end.
 */
final class SimulatedPeer {

    static final long REGION_BYTES = 4L << 20;

    private final SimulatedNode node;
    private final MemoryRegion region;
    private final List<Connection> connections = new ArrayList<>();
    private FutureTask<Connection> accepted = Pair.onThread(() -> {
        throw new IllegalStateException("no offer yet");
    });

    private SimulatedPeer(SimulatedNode node) {
        this.node = node;
        this.region = node.share("peer-" + ProcessHandle.current().pid(), REGION_BYTES);
    }

    /** @param args the device, the kind of memory */
    public static void main(String[] args) throws Exception {
        try (SimulatedNode node = SimulatedNode.on(Integer.parseInt(args[0]), MemoryKind.valueOf(args[1]));
                BufferedReader commands =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            SimulatedPeer peer = new SimulatedPeer(node);
            System.out.println("ready");
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                System.out.println(peer.answer(line.split(" ")));
            }
        }
    }

    private String answer(String[] command) {
        return switch (command[0]) {
            case "offer" -> offer(command[1], bytes(command[2]));
            case "import" -> importMemory(bytes(command[1]));
            case "export" -> text(node.channel().exportMemory());
            case "count" -> Long.toString(count(Byte.parseByte(command[1])));
            case "fence" -> Boolean.toString(connections.getLast().fence(soon()));
            case "probe" -> probe();
            default -> throw new IllegalArgumentException(command[0]);
        };
    }

    private String offer(String name, byte[] greeting) {
        Offer offer = node.channel().offer(name, greeting, MemoryGuard.CLOSED);
        accepted = Pair.onThread(() -> offer.accept(soon()));
        return text(offer.meta());
    }

    private String importMemory(byte[] handles) {
        connections.add(Pair.result(accepted));
        return Integer.toString(connections.getLast().importMemory(handles).size());
    }

    /** How many bytes of the region have a value. */
    private long count(byte value) {
        long count = 0;
        for (byte each : node.get(region)) {
            count += each == value ? 1 : 0;
        }
        return count;
    }

    private String probe() {
        connections.getLast().probe(soon());
        return "probed";
    }

    static String text(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    static byte[] bytes(String text) {
        return Base64.getDecoder().decode(text);
    }
}
