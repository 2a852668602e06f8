package dev.tandem.transfer.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/** The three system calls behind {@link HostMemory}. Answers as the kernel does: a result, or an errno negated. */
final class LinuxMemory {

    static final int MADV_HUGEPAGE = 14;
    /** Since Linux 5.14. */
    static final int MADV_POPULATE_WRITE = 23;

    static final int ENOMEM = 12;

    private static final int PROT_READ_WRITE = 0x1 | 0x2;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;

    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final MemoryLayout CAPTURED = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURED.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle mmap;
    private final MethodHandle madvise;
    private final MethodHandle munmap;

    private LinuxMemory(Linker linker, SymbolLookup libc) {
        mmap = linker.downcallHandle(
                libc.findOrThrow("mmap"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG),
                CAPTURE);
        madvise = linker.downcallHandle(
                libc.findOrThrow("madvise"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT),
                CAPTURE);
        munmap = linker.downcallHandle(
                libc.findOrThrow("munmap"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
                CAPTURE);
    }

    /** Empty on another system. */
    static Optional<LinuxMemory> find() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return Optional.empty();
        }
        Linker linker = Linker.nativeLinker();
        return Optional.of(new LinuxMemory(linker, linker.defaultLookup()));
    }

    /**
     * Maps private anonymous memory, readable and writable.
     *
     * @return its address, aligned to the system's pages
     */
    long map(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURED);
            long address = (long) mmap.invokeExact(state, 0L, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
            return address == -1 ? -errno(state) : address;
        } catch (Throwable e) {
            throw uncallable("mmap", e);
        }
    }

    /** @return 0 */
    int advise(long address, long bytes, int advice) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURED);
            int result = (int) madvise.invokeExact(state, address, bytes, advice);
            return result == -1 ? -errno(state) : result;
        } catch (Throwable e) {
            throw uncallable("madvise", e);
        }
    }

    /** @throws IllegalStateException when that is not a mapping */
    void unmap(long address, long bytes) {
        int result;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURED);
            result = (int) munmap.invokeExact(state, address, bytes) == -1 ? errno(state) : 0;
        } catch (Throwable e) {
            throw uncallable("munmap", e);
        }
        if (result != 0) {
            throw new IllegalStateException("munmap %d bytes at %#x: errno %d".formatted(bytes, address, result));
        }
    }

    private static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    /** Method handles declare Throwable; a call into libc throws none of its own. */
    private static IllegalStateException uncallable(String function, Throwable cause) {
        return new IllegalStateException("%s: cannot be called".formatted(function), cause);
    }
}
