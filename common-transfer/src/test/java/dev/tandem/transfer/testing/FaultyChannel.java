package dev.tandem.transfer.testing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelKind;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.RemoteRegion;
import dev.tandem.transfer.channel.TransferBatch;
import dev.tandem.transfer.channel.TransferChannel;

/** A real channel whose accept, connect and write a test can hold, count and fail. */
public final class FaultyChannel implements TransferChannel {

    private final TransferChannel real;
    private final AtomicInteger offers = new AtomicInteger();
    private final AtomicInteger connects = new AtomicInteger();
    private final AtomicInteger writes = new AtomicInteger();
    private volatile UnaryOperator<Offer> onOffer = offer -> offer;
    private volatile Runnable beforeConnect = () -> {};
    private volatile Runnable beforeWrite = () -> {};
    private volatile Runnable afterWrite = () -> {};

    public FaultyChannel(TransferChannel real) {
        this.real = real;
    }

    public int offers() {
        return offers.get();
    }

    public int connects() {
        return connects.get();
    }

    public int writes() {
        return writes.get();
    }

    /** Accept publishes its connection only once the latch is open. */
    public void holdAccept(CountDownLatch latch) {
        onOffer = offer -> new HeldOffer(offer, latch, false);
    }

    /** Accept fails once the latch is open. */
    public void failAccept(CountDownLatch latch) {
        onOffer = offer -> new HeldOffer(offer, latch, true);
    }

    /** Accept does as the real one again. */
    public void freeAccept() {
        onOffer = offer -> offer;
    }

    public void beforeConnect(Runnable action) {
        beforeConnect = action;
    }

    /** Runs before each batch is written; may throw or wait. */
    public void beforeWrite(Runnable action) {
        beforeWrite = action;
    }

    /** Runs after each batch that was written. */
    public void afterWrite(Runnable action) {
        afterWrite = action;
    }

    @Override
    public ChannelKind kind() {
        return real.kind();
    }

    @Override
    public void register(MemoryRegion region) {
        real.register(region);
    }

    @Override
    public byte[] greeting() {
        return real.greeting();
    }

    @Override
    public Offer offer(String name, byte[] greeting, MemoryGuard guard) {
        offers.incrementAndGet();
        return onOffer.apply(real.offer(name, greeting, guard));
    }

    @Override
    public Connection connect(String name, byte[] offer, MemoryGuard guard, Deadline deadline) {
        connects.incrementAndGet();
        beforeConnect.run();
        return new CountedConnection(real.connect(name, offer, guard, deadline));
    }

    @Override
    public byte[] exportMemory() {
        return real.exportMemory();
    }

    @Override
    public void close() {
        real.close();
    }

    private record HeldOffer(Offer real, CountDownLatch latch, boolean fails) implements Offer {

        @Override
        public byte[] meta() {
            return real.meta();
        }

        @Override
        public Connection accept(Deadline deadline) {
            Connection connection = real.accept(deadline);
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            if (fails) {
                connection.close();
                throw new ChannelException(ChannelException.Reason.BROKEN, "accept made to fail by the test");
            }
            return connection;
        }

        @Override
        public void close() {
            real.close();
        }
    }

    private final class CountedConnection implements Connection {

        private final Connection connection;

        CountedConnection(Connection connection) {
            this.connection = connection;
        }

        @Override
        public List<RemoteRegion> importMemory(byte[] handles) {
            return connection.importMemory(handles);
        }

        @Override
        public void write(TransferBatch batch, Deadline deadline) {
            writes.incrementAndGet();
            beforeWrite.run();
            connection.write(batch, deadline);
            afterWrite.run();
        }

        @Override
        public void read(TransferBatch batch, Deadline deadline) {
            connection.read(batch, deadline);
        }

        @Override
        public void probe(Deadline deadline) {
            connection.probe(deadline);
        }

        @Override
        public CompletableFuture<ChannelException> closed() {
            return connection.closed();
        }

        @Override
        public boolean fence(Deadline deadline) {
            return connection.fence(deadline);
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
