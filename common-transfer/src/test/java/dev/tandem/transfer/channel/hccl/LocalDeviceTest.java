package dev.tandem.transfer.channel.hccl;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.MemoryKind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LocalDeviceTest {

    @Test
    void ranksGoOnDevicesInOrderUnlessToldOtherwise() {
        assertThat(LocalDevice.of(HcclSettings.on("node-a"), 3, Map.of())).isEqualTo(3);
        assertThat(LocalDevice.of(onDevices(6, 7), 1, Map.of())).isEqualTo(7);
    }

    @Test
    void rankWithoutADeviceIsRefused() {
        assertThatThrownBy(() -> LocalDevice.of(onDevices(6, 7), 2, Map.of()))
                .hasMessage("hccl devices: none for rank 2 in [6, 7]");
    }

    @Test
    void deviceThatTheProcessDoesNotSeeIsRefused() {
        Map<String, String> environment = Map.of("ASCEND_RT_VISIBLE_DEVICES", "4,5");

        assertThat(LocalDevice.of(HcclSettings.on("node-a"), 1, environment)).isEqualTo(1);
        assertThatThrownBy(() -> LocalDevice.of(HcclSettings.on("node-a"), 2, environment))
                .hasMessage("hccl device 2 of rank 2: ASCEND_RT_VISIBLE_DEVICES=4,5 shows only 2");
    }

    private static HcclSettings onDevices(Integer... devices) {
        return new HcclSettings(
                Optional.empty(),
                "node-a",
                List.of(devices),
                MemoryKind.HOST,
                HcclSettings.Communicators.DEFAULTS,
                HcclSettings.Network.DEFAULTS);
    }
}
