package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

/** Finds out what rank tables must say about one of this node's devices. */
final class LocalDevice {

    private static final String VISIBLE_DEVICES = "ASCEND_RT_VISIBLE_DEVICES";

    /** The chips whose devices form super pods (A3). */
    private static final String SUPER_POD_CHIPS = "Ascend910_93";

    private LocalDevice() {}

    /**
     * The device of a rank, as the process sees it.
     *
     * @throws IllegalArgumentException when the process cannot see it
     */
    static int of(HcclSettings settings, int rank, Map<String, String> environment) {
        int device = settings.device(rank);
        String visible = environment.getOrDefault(VISIBLE_DEVICES, "").strip();
        if (!visible.isEmpty() && device >= visible.split(",").length) {
            throw new IllegalArgumentException("hccl device %d of rank %d: %s=%s shows only %d"
                    .formatted(device, rank, VISIBLE_DEVICES, visible, visible.split(",").length));
        }
        return device;
    }

    /**
     * Call it where the device is chosen; may run a tool.
     *
     * @throws TransferException when the device has no address
     */
    static DeviceEndpoint endpoint(HcclRuntime runtime, HcclSettings settings, int rank, int device) {
        int physical = physicalId(device);
        Optional<DeviceEndpoint.Place> place = runtime.soc().startsWith(SUPER_POD_CHIPS)
                ? Optional.of(place(runtime, settings.network(), rank, device))
                : Optional.empty();
        String ip = HccnAddress.of(physical, settings.network()).orElse("");
        if (ip.isEmpty() && place.isEmpty()) {
            throw new TransferException(
                    ErrorCode.INTERNAL,
                    "hccl device %d (physical %d): no address_%d in %s, and %s does not tell its address"
                            .formatted(
                                    device,
                                    physical,
                                    physical,
                                    settings.network().hccnConf(),
                                    settings.network().hccnTool()));
        }
        return new DeviceEndpoint(
                settings.host(), physical, ip, settings.network().devicePort(), place);
    }

    /** The runtime applies the renumbering of visible devices and of containers. */
    private static int physicalId(int device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment physical = arena.allocate(ValueLayout.JAVA_INT);
            NativeResult.requireAcl(
                    "aclrtGetPhyDevIdByLogicDevId(%d)".formatted(device),
                    AclLibrary.aclrtGetPhyDevIdByLogicDevId(device, physical.address()));
            return physical.get(ValueLayout.JAVA_INT, 0);
        }
    }

    private static DeviceEndpoint.Place place(HcclRuntime runtime, HcclSettings.Network network, int rank, int device) {
        OptionalLong superDevice = rank < network.superDevices().size()
                ? OptionalLong.of(network.superDevices().get(rank))
                : runtime.superDevice(device);
        Optional<String> pod = network.superPod().or(() -> {
            OptionalLong number = runtime.superPod(device);
            return number.isPresent() ? Optional.of(Long.toString(number.getAsLong())) : Optional.empty();
        });
        if (superDevice.isEmpty() || pod.isEmpty()) {
            throw new TransferException(
                    ErrorCode.INTERNAL,
                    "hccl device %d: the runtime does not tell its super device id and super pod, set them"
                            .formatted(device));
        }
        return new DeviceEndpoint.Place(superDevice.getAsLong(), pod.get());
    }
}
