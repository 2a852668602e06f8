package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/** Sizes and offsets of the C structures, in bytes, as the 64-bit Linux ABI lays them out; and how to fill them. */
final class HcclLayouts {

    /** {@code HcclMem}: one piece of memory to register. */
    static final class Memory {

        static final long BYTES = 24;
        static final long TYPE = 0;
        static final long ADDRESS = 8;
        static final long SIZE = 16;

        static final int ON_DEVICE = 0;
        static final int ON_HOST = 1;

        private Memory() {}

        static MemorySegment of(SegmentAllocator allocator, int type, long address, long size) {
            MemorySegment memory = allocator.allocate(BYTES, Long.BYTES);
            memory.set(ValueLayout.JAVA_INT, TYPE, type);
            memory.set(ValueLayout.JAVA_LONG, ADDRESS, address);
            memory.set(ValueLayout.JAVA_LONG, SIZE, size);
            return memory;
        }
    }

    /** {@code HcclOneSideOpDesc}: one piece of a put or get. */
    static final class Descriptor {

        static final long BYTES = 32;
        static final long LOCAL = 0;
        static final long REMOTE = 8;
        static final long COUNT = 16;
        static final long DATA_TYPE = 24;

        /** The data type of which {@link #COUNT} counts bytes. */
        static final int UINT8 = 7;

        private Descriptor() {}
    }

    /** {@code HcclPrepareConfig}: a full mesh and reserved zeroes. */
    static final class PrepareConfig {

        static final long BYTES = 32;
        static final long TOPOLOGY = 0;
        static final long RESERVED = 8;

        private PrepareConfig() {}

        static MemorySegment of(Arena arena) {
            return arena.allocate(BYTES, Long.BYTES);
        }
    }

    /**
     * {@code HcclCommConfig}, up to the service level: newer libraries read only as much as {@link #SIZE} and
     * {@link #VERSION} cover. Its header is 24 plain bytes, so the structure is aligned to 4 and ends at 300.
     */
    static final class CommConfig {

        static final long BYTES = 300;
        static final long SIZE = 0;
        static final long MAGIC = 8;
        static final long VERSION = 12;
        static final long BUFFER_MIB = 24;
        static final long DETERMINISTIC = 28;
        static final long NAME = 32;
        static final long NAME_BYTES = 128;
        static final long UDI = 160;
        static final long EXPANSION_MODE = 288;
        static final long TRAFFIC_CLASS = 292;
        static final long SERVICE_LEVEL = 296;

        static final int MAGIC_VALUE = 0xF0F0F0F0;
        static final int VERSION_VALUE = 5;
        static final int NOT_SET = 0xFFFFFFFF;

        private CommConfig() {}

        /** @param name ASCII, shorter than {@link #NAME_BYTES} */
        static MemorySegment of(SegmentAllocator allocator, String name, HcclSettings.Communicators settings) {
            MemorySegment config = allocator.allocate(BYTES, Long.BYTES).fill((byte) 0);
            config.set(ValueLayout.JAVA_LONG, SIZE, BYTES);
            config.set(ValueLayout.JAVA_INT, MAGIC, MAGIC_VALUE);
            config.set(ValueLayout.JAVA_INT, VERSION, VERSION_VALUE);
            config.set(ValueLayout.JAVA_INT, BUFFER_MIB, settings.bufferMib());
            config.set(ValueLayout.JAVA_INT, DETERMINISTIC, NOT_SET);
            config.setString(NAME, name);
            config.set(ValueLayout.JAVA_INT, TRAFFIC_CLASS, settings.trafficClass());
            config.set(ValueLayout.JAVA_INT, SERVICE_LEVEL, settings.serviceLevel());
            return config;
        }
    }

    private HcclLayouts() {}
}
