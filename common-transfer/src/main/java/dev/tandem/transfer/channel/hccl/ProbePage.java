package dev.tandem.transfer.channel.hccl;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.RemoteRegion;

/**
 * A registered page that proves who is at the other end of a data path. It begins with a random number that the
 * handshake carries; a probe gets that number from the peer's page into a slot of its own page and compares. So a probe
 * touches no page of a buffer, on either side. In the same way the receiver shows that it has accepted a peer.
 */
final class ProbePage {

    static final int NUMBER_BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SLOT_BYTES = 64;
    private static final int SLOTS = (int) (HcclMemory.PAGE / SLOT_BYTES);

    private static final Duration FIRST_WRITE = Duration.ofSeconds(30);

    private final HcclMemory memory;
    private final MemoryRegion page;
    private final byte[] number = new byte[NUMBER_BYTES];
    private final AtomicInteger slots = new AtomicInteger();

    /** @param id of the region */
    ProbePage(String id, HcclMemory memory) {
        this.memory = memory;
        this.page = memory.allocate(id, HcclMemory.PAGE);
        RANDOM.nextBytes(number);
        put(0, number, FIRST_WRITE);
    }

    /**
     * A number in a peer's page.
     *
     * @param offset where it must be
     * @param number in hex
     */
    record Target(RemoteRegion region, long offset, String number) {

        void writeTo(DataOutputStream out) throws IOException {
            out.writeLong(region.address());
            out.writeLong(offset);
            out.write(HexFormat.of().parseHex(number));
        }

        static Target from(DataInputStream in) throws IOException {
            long address = in.readLong();
            long offset = in.readLong();
            byte[] number = new byte[NUMBER_BYTES];
            in.readFully(number);
            if (address < 1 || offset < 0 || offset > HcclMemory.PAGE - NUMBER_BYTES) {
                throw new IllegalArgumentException("probe page: no acceptable place");
            }
            return new Target(new RemoteRegion("probe", 0, address, HcclMemory.PAGE), offset, hex(number));
        }
    }

    MemoryRegion region() {
        return page;
    }

    /** The number at the beginning, for the peer. */
    Target target() {
        return target(0, number);
    }

    /** A number that is not there before {@link #show}. */
    Target hidden() {
        byte[] fresh = new byte[NUMBER_BYTES];
        RANDOM.nextBytes(fresh);
        return target(nextSlot(), fresh);
    }

    void show(Target hidden, Deadline deadline) {
        put(hidden.offset(), HexFormat.of().parseHex(hidden.number()), deadline.remaining());
    }

    /** @return offset of an empty place for a peer's number; in use for nothing else of the last 32,000 */
    long clearedSlot(Deadline deadline) {
        long slot = nextSlot();
        put(slot, new byte[NUMBER_BYTES], deadline.remaining());
        return slot;
    }

    boolean holds(long slot, String expected, Deadline deadline) {
        MemorySegment found = Arena.ofAuto().allocate(NUMBER_BYTES);
        memory.copyOut(page, slot, found, deadline.remaining());
        return hex(found.toArray(ValueLayout.JAVA_BYTE)).equals(expected);
    }

    private Target target(long offset, byte[] bytes) {
        return new Target(new RemoteRegion(page.id(), 0, page.segment().address(), page.bytes()), offset, hex(bytes));
    }

    private long nextSlot() {
        return (1 + Math.floorMod(slots.getAndIncrement(), SLOTS - 1)) * (long) SLOT_BYTES;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private void put(long offset, byte[] bytes, Duration limit) {
        memory.copyIn(Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes), page, offset, limit);
    }
}
