package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.FabricNode;

/** A node on one simulated device, as the contract uses it. */
final class HcclContractNode extends FabricNode {

    private final SimulatedNode node;

    HcclContractNode(SimulatedNode node) {
        this.node = node;
    }

    @Override
    public HcclChannel channel() {
        return node.channel();
    }

    @Override
    protected MemoryRegion allocate(String id, long bytes) {
        return node.memory().allocate(id, bytes);
    }

    @Override
    public void put(MemoryRegion region, long offset, byte[] bytes) {
        try (Arena arena = Arena.ofConfined()) {
            node.memory().copyIn(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), region, offset);
        }
    }

    @Override
    public byte[] get(MemoryRegion region, long offset, int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(bytes);
            node.memory().copyOut(region, offset, found);
            return found.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
