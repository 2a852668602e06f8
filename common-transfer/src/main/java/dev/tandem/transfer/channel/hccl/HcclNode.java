package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.UUID;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.tandem.transfer.Deadline;

/** One device of this process, and what its connections share. */
final class HcclNode {

    private static final Logger log = LoggerFactory.getLogger(HcclNode.class);

    private static final Duration START = Duration.ofSeconds(60);

    private final HcclRuntime runtime;
    private final DeviceThreads threads;
    private final DeviceWorker worker;
    private final HcclMemory ownMemory;
    private final RegisteredMemory memory;
    private final OpenConnections connections;
    private final DeviceEndpoint endpoint;
    private final ProbePage probePage;
    private final DeviceLane lane;

    private HcclNode(HcclRuntime runtime, HcclSettings settings, int rank) {
        this.runtime = runtime;
        this.threads = new DeviceThreads(LocalDevice.of(settings, rank, System.getenv()));
        this.worker = new DeviceWorker("hccl-control-" + threads.device(), threads);
        this.ownMemory = new HcclMemory(settings.memory(), runtime, threads);
        this.memory = new RegisteredMemory(runtime, worker);
        this.connections = new OpenConnections(settings.communicators().max());
        try {
            this.endpoint = worker.call(
                    "hccl device " + threads.device(),
                    START,
                    () -> LocalDevice.endpoint(runtime, settings, rank, threads.device()));
            this.probePage = new ProbePage("probe-" + UUID.randomUUID(), ownMemory);
            memory.add(probePage.region());
            this.lane = DeviceLane.start(threads);
        } catch (RuntimeException | Error e) {
            releaseMemory();
            throw e;
        }
    }

    /** As {@link HcclChannel#open}. */
    static HcclNode open(HcclSettings settings, int rank) {
        return new HcclNode(HcclRuntime.load(settings.libraryDirectory()), settings, rank);
    }

    HcclRuntime runtime() {
        return runtime;
    }

    DeviceThreads threads() {
        return threads;
    }

    RegisteredMemory memory() {
        return memory;
    }

    OpenConnections connections() {
        return connections;
    }

    DeviceEndpoint endpoint() {
        return endpoint;
    }

    ProbePage probePage() {
        return probePage;
    }

    DeviceLane lane() {
        return lane;
    }

    /**
     * Closes the connections and waits for the native threads. Where one of them does not end by the deadline, or a
     * communicator could not be destroyed, memory stays registered, as the library may still use it.
     */
    void close(Deadline deadline) {
        connections.all().forEach(HcclConnection::close);
        if (threads.awaitEnd(deadline) && connections.isEmpty()) {
            releaseMemory();
        } else {
            log.atError()
                    .addKeyValue("device", threads.device())
                    .log("hccl communicators are left over, memory stays registered");
        }
        lane.close();
    }

    private void releaseMemory() {
        memory.close();
        ownMemory.close();
        worker.close();
    }

    @Override
    public String toString() {
        return "hccl on %s, device %d of %s (%s)"
                .formatted(runtime.soc(), endpoint.device(), endpoint.host(), endpoint.ip());
    }
}
