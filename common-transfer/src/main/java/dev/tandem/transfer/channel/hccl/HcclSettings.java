package dev.tandem.transfer.channel.hccl;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.tandem.transfer.MemoryKind;

/**
 * How this node takes part in HCCL.
 *
 * @param libraryDirectory where the native libraries are; empty for LD_LIBRARY_PATH, then ASCEND_HOME_PATH/lib64, then
 *     the toolkit's usual place
 * @param host this host's name in rank tables: the same in every process of a host, different on different hosts
 * @param devices the device of each rank, as the process sees them (ASCEND_RT_VISIBLE_DEVICES renumbers from 0); empty
 *     for rank n on device n
 * @param memory where {@link HcclMemory} allocates
 * @param communicators the connections to peers
 * @param network the device's addresses
 */
public record HcclSettings(
        Optional<Path> libraryDirectory,
        String host,
        List<Integer> devices,
        MemoryKind memory,
        Communicators communicators,
        Network network) {

    public HcclSettings {
        if (!host.matches(DeviceEndpoint.HOST)) {
            throw new IllegalArgumentException(
                    "host of hccl: '%s' is not a host name or address of at most 64 characters".formatted(host));
        }
        devices = List.copyOf(devices);
    }

    /** Everything as it is by default. */
    public static HcclSettings on(String host) {
        return new HcclSettings(
                Optional.empty(), host, List.of(), MemoryKind.DEVICE, Communicators.DEFAULTS, Network.DEFAULTS);
    }

    /** @throws IllegalArgumentException when {@link #devices} has none for this rank */
    int device(int rank) {
        if (devices.isEmpty()) {
            return rank;
        }
        if (rank >= devices.size()) {
            throw new IllegalArgumentException("hccl devices: none for rank %d in %s".formatted(rank, devices));
        }
        return devices.get(rank);
    }

    /**
     * Each peer costs one communicator while it is connected.
     *
     * @param bufferMib device memory for each, in MiB, at least 1
     * @param trafficClass of RoCE, a multiple of 4 from 0 to 252
     * @param serviceLevel of RoCE, 0 to 7
     * @param max open at a time on one device; beyond it the least recently used idle one is closed, or if none is
     *     idle the peer is refused
     * @param idleAfter a connection that this side has used, and then not for so long, is closed; its peer is greeted
     *     again on next use
     * @param prepareTimeout longest wait for the other side of a handshake; a handshake's own deadline can only be
     *     shorter
     */
    public record Communicators(
            int bufferMib, int trafficClass, int serviceLevel, int max, Duration idleAfter, Duration prepareTimeout) {

        public static final Communicators DEFAULTS =
                new Communicators(1, 132, 4, 64, Duration.ofMinutes(10), Duration.ofSeconds(5));

        public Communicators {
            require("buffer-mib", bufferMib, 1, 65_536);
            require("traffic-class", trafficClass, 0, 252);
            if (trafficClass % 4 != 0) {
                throw new IllegalArgumentException(
                        "hccl traffic-class: %d is not a multiple of 4".formatted(trafficClass));
            }
            require("service-level", serviceLevel, 0, 7);
            require("max-communicators", max, 1, 65_536);
            requirePositive("idle-after", idleAfter);
            requirePositive("prepare-timeout", prepareTimeout);
        }

        private static void requirePositive(String name, Duration value) {
            if (!value.isPositive()) {
                throw new IllegalArgumentException("hccl %s: %s is not positive".formatted(name, value));
            }
        }
    }

    /**
     * Where the addresses of devices are found.
     *
     * @param hccnConf lists {@code address_<device>=<ip>}
     * @param hccnTool asked for the address when the file does not have it: a path or a name on the PATH
     * @param devicePort on which HCCL listens at the device, where another process uses HCCL on the same device (it
     *     must then have another one); 0 for HCCL's own choice
     * @param superDevices of each rank, its id within the super pod; empty to ask the runtime. Only A3 devices have one
     * @param superPod id of the super pod; empty to ask the runtime
     */
    public record Network(
            Path hccnConf, Path hccnTool, int devicePort, List<Long> superDevices, Optional<String> superPod) {

        public static final Network DEFAULTS =
                new Network(Path.of("/etc/hccn.conf"), Path.of("hccn_tool"), 0, List.of(), Optional.empty());

        public Network {
            require("device-port", devicePort, 0, 65_535);
            superDevices = List.copyOf(superDevices);
        }
    }

    private static void require(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("hccl %s: %d is not in %d..%d".formatted(name, value, least, most));
        }
    }
}
