package dev.tandem.transfer.channel.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Pair;
import dev.tandem.transfer.channel.ProcessResources;
import dev.tandem.transfer.channel.TransferBatch;
import dev.tandem.transfer.channel.WatchfulGuard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What the TCP fabric promises beyond what every fabric does. */
@Timeout(60)
class TcpNodeIT {

    private static final int BATCHES = 1000;
    private static final int WINDOWS = 10;

    @Test
    void takenPortFailsAtOnceNamingAddressAndPort() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> new TcpChannel(TcpSettings.of("127.0.0.1", "127.0.0.1", taken.getLocalPort(), 2)))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("127.0.0.1")
                    .hasMessageContaining("port " + taken.getLocalPort());
        }
    }

    @Test
    void addressThatIsNotOursFailsAtOnce() {
        assertThatThrownBy(() -> new TcpChannel(TcpSettings.of("192.0.2.1", "192.0.2.1", 0, 2)))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("192.0.2.1");
    }

    @Test
    void closedPortIsFreeAgain() {
        TcpChannel first = new TcpChannel(TcpSettings.of("127.0.0.1", "127.0.0.1", 0, 2));
        int port = first.port();
        first.close();

        try (var second = new TcpChannel(TcpSettings.of("127.0.0.1", "127.0.0.1", port, 2))) {
            assertThat(second.port()).isEqualTo(port);
        }
    }

    @Test
    void ipv6Works() {
        assumeTrue(hasIpv6());
        try (var receiver = new TcpTestNode(TcpSettings.of("::1", "::1", 0, 1));
                var sender = TcpTestNode.onLoopback()) {
            Pair.of(sender.channel(), receiver.channel(), MemoryGuard.CLOSED)
                    .sender()
                    .probe(Pair.soon());
        }
    }

    private static boolean hasIpv6() {
        try (var socket = new ServerSocket(0, 1, InetAddress.ofLiteral("::1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void deviceMemoryIsNotRegistered() {
        try (var node = TcpTestNode.onLoopback()) {
            var device =
                    new MemoryRegion("device", MemorySegment.ofAddress(4096).reinterpret(4096), MemoryKind.DEVICE);

            assertThatThrownBy(() -> node.channel().register(device))
                    .isInstanceOf(ChannelException.class)
                    .hasMessageContaining("device memory");
        }
    }

    @Test
    void twoNodesUseTheSmallerNumberOfConnections() {
        try (var wide = new TcpTestNode(TcpSettings.of("127.0.0.1", "127.0.0.1", 0, 8));
                var narrow = new TcpTestNode(TcpSettings.of("127.0.0.1", "127.0.0.1", 0, 1))) {
            byte[] meta = wide.channel()
                    .offer("x", narrow.channel().greeting(), MemoryGuard.CLOSED)
                    .meta();

            assertThat(OfferMeta.parse(meta).sockets()).isEqualTo(1);
        }
    }

    @Test
    void idleConnectionsCostNoThread() {
        try (var sender = TcpTestNode.onLoopback();
                var receiver = TcpTestNode.onLoopback()) {
            Pair first = Pair.of(sender.channel(), receiver.channel(), MemoryGuard.CLOSED);
            first.sender().probe(Pair.soon());
            int threads = ProcessResources.now().threads();

            List<Pair> idle = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                idle.add(Pair.of(sender.channel(), receiver.channel(), MemoryGuard.CLOSED));
            }

            assertThat(ProcessResources.now().threads()).isLessThan(threads + 10);
            assertThat(idle).allSatisfy(pair -> pair.receiver().probe(Pair.soon()));
        }
    }

    @Test
    void busyPeerSharesTheOnlyWorker() throws Exception {
        try (var sender = TcpTestNode.onLoopback();
                var receiver = TcpTestNode.with(new TcpSettings.Limits(16, 16, 1));
                var busy = RawSender.to(receiver.channel(), MemoryGuard.CLOSED)) {
            var served = new CountDownLatch(1);
            FutureTask<Boolean> endless = Pair.onThread(() -> probeWithoutAPause(busy.first(), served));
            FutureTask<Boolean> answers = Pair.onThread(() -> busy.first().ended());

            Pair other = Pair.of(sender.channel(), receiver.channel(), MemoryGuard.CLOSED);
            other.sender().probe(Pair.soon());

            served.countDown();
            assertThat(Pair.result(endless)).isTrue();
            busy.first().socket().shutdownOutput();
            assertThat(Pair.result(answers)).isTrue();
        }
    }

    /** Sends batches faster than they are answered, until told to stop. */
    private static boolean probeWithoutAPause(RawSocket socket, CountDownLatch stop) {
        RawBatch probe = RawBatch.write().withKind(BatchHeader.Kind.PROBE.code());
        long sequence = 1;
        while (stop.getCount() > 0) {
            ByteBuffer many = ByteBuffer.allocate(100 * BatchHeader.BYTES);
            while (many.hasRemaining()) {
                many.put(probe.withSequence(sequence++).toBytes());
            }
            socket.send(many.flip());
        }
        return true;
    }

    @Test
    void movedBytesAreCounted() {
        try (var sender = TcpTestNode.onLoopback();
                var receiver = TcpTestNode.onLoopback()) {
            MemoryRegion from = sender.share("from", 1 << 20);
            receiver.share("to", 1 << 20);
            Pair pair = Pair.of(sender.channel(), receiver.channel(), new WatchfulGuard());
            var batch = new TransferBatch();
            batch.add(from, 0, pair.receivers().getFirst(), 0, 1 << 20, 1);

            pair.sender().write(batch, Pair.soon());

            assertThat(sender.channel().bytesSent()).isBetween(1L << 20, (1L << 20) + 1024);
            assertThat(receiver.channel().bytesReceived()).isBetween(1L << 20, (1L << 20) + 1024);
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 4096", "16, 65536", "2, 1048576"})
    void nothingIsAllocatedForEachChunk(int chunks, int chunkBytes) {
        try (var sender = TcpTestNode.onLoopback();
                var receiver = TcpTestNode.onLoopback()) {
            MemoryRegion from = sender.share("from", (long) chunks * chunkBytes);
            receiver.share("to", from.bytes());
            Pair pair = Pair.of(sender.channel(), receiver.channel(), new OpenGuard());
            var batch = new TransferBatch();
            for (long at = 0; at < from.bytes(); at += chunkBytes) {
                batch.add(from, at, pair.receivers().getFirst(), at, chunkBytes, 1);
            }
            var sent = new Allocation(Thread.currentThread().getName());
            var served = new Allocation("tcp-worker-" + receiver.channel().port());

            for (int window = 0; window < WINDOWS && !sent.below(64); window++) {
                sent.begin();
                served.begin();
                write(pair, batch);
                sent.end();
                served.end();
            }

            assertThat(sent.bytesPerBatch()).as("sender").isLessThan(64);
            // A worker that has to wait for the next batch allocates for that, some hundred bytes.
            assertThat(served.bytesPerBatch()).as("receiver").isLessThan(4096);
        }
    }

    private static void write(Pair pair, TransferBatch batch) {
        Deadline deadline = Deadline.after(Pair.SOON.multipliedBy(6));
        for (int i = 0; i < BATCHES; i++) {
            pair.sender().write(batch, deadline);
        }
    }

    /** What some threads put on the heap for each batch, once the compiler has seen enough of them. */
    private static final class Allocation {

        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final String namePrefix;
        private long bytes = Long.MAX_VALUE;

        Allocation(String namePrefix) {
            this.namePrefix = namePrefix;
        }

        void begin() {
            bytes = -total();
        }

        void end() {
            bytes += total();
        }

        long bytesPerBatch() {
            return bytes / BATCHES;
        }

        boolean below(long bound) {
            return bytesPerBatch() < bound;
        }

        private long total() {
            return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                    .filter(info -> info != null && info.getThreadName().startsWith(namePrefix))
                    .mapToLong(info -> threads.getThreadAllocatedBytes(info.getThreadId()))
                    .sum();
        }
    }

    private static final class OpenGuard implements MemoryGuard {

        @Override
        public boolean beginWrite(String region, long offset, long bytes, long token) {
            return true;
        }

        @Override
        public void endWrite(String region, long offset) {}

        @Override
        public boolean beginRead(String region, long offset, long bytes, long token) {
            return true;
        }

        @Override
        public void endRead(String region, long offset) {}
    }
}
