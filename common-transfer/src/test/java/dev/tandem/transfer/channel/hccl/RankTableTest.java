package dev.tandem.transfer.channel.hccl;

import java.util.Optional;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RankTableTest {

    private final DeviceEndpoint server = new DeviceEndpoint("node-a", 3, "10.0.0.3", 0, Optional.empty());

    @Test
    void twoHostsAreTwoServers() {
        DeviceEndpoint client = new DeviceEndpoint("node-b", 0, "10.0.1.0", 0, Optional.empty());

        assertThat(RankTable.of(server, client)).isEqualTo("""
                {"version":"1.0","server_count":"2","server_list":[\
                {"server_id":"node-a","device":[{"device_id":"3","device_ip":"10.0.0.3","rank_id":"0"}]},\
                {"server_id":"node-b","device":[{"device_id":"0","device_ip":"10.0.1.0","rank_id":"1"}]}],\
                "status":"completed"}""");
    }

    @Test
    void twoDevicesOfOneHostShareItsEntry() {
        DeviceEndpoint client = new DeviceEndpoint("node-a", 4, "10.0.0.4", 20_000, Optional.empty());

        assertThat(RankTable.of(server, client)).isEqualTo("""
                {"version":"1.0","server_count":"1","server_list":[\
                {"server_id":"node-a","device":[{"device_id":"3","device_ip":"10.0.0.3","rank_id":"0"},\
                {"device_id":"4","device_ip":"10.0.0.4","device_port":"20000","rank_id":"1"}]}],\
                "status":"completed"}""");
    }

    @Test
    void devicesOfSuperPodsNameThemselvesAndTheirPods() {
        DeviceEndpoint podServer = new DeviceEndpoint("node-a", 3, "", 0, place(7, "pod-1"));
        DeviceEndpoint podClient = new DeviceEndpoint("node-b", 0, "10.0.1.0", 0, place(9, "pod-1"));

        assertThat(RankTable.of(podServer, podClient)).isEqualTo("""
                {"version":"1.2","server_count":"2","server_list":[\
                {"server_id":"node-a","device":[{"device_id":"3","super_device_id":"7","rank_id":"0"}]},\
                {"server_id":"node-b","device":\
                [{"device_id":"0","device_ip":"10.0.1.0","super_device_id":"9","rank_id":"1"}]}],\
                "super_pod_list":[{"super_pod_id":"pod-1","server_list":\
                [{"server_id":"node-a"},{"server_id":"node-b"}]}],\
                "status":"completed"}""");
    }

    @Test
    void differentPodsAreListedApart() {
        DeviceEndpoint podServer = new DeviceEndpoint("node-a", 3, "10.0.0.3", 0, place(7, "2"));
        DeviceEndpoint podClient = new DeviceEndpoint("node-b", 0, "10.0.1.0", 0, place(7, "1"));

        assertThat(RankTable.of(podServer, podClient)).contains("""
                "super_pod_list":[{"super_pod_id":"1","server_list":[{"server_id":"node-b"}]},\
                {"super_pod_id":"2","server_list":[{"server_id":"node-a"}]}],""");
    }

    @Test
    void onePlacelessSideMakesItTheOlderTable() {
        DeviceEndpoint podClient = new DeviceEndpoint("node-b", 0, "10.0.1.0", 0, place(7, "1"));

        assertThat(RankTable.of(server, podClient))
                .contains("\"version\":\"1.0\"")
                .doesNotContain("super");
    }

    @Test
    void namesThatWouldNeedEscapingAreRefused() {
        assertThatThrownBy(() -> new DeviceEndpoint("a\",\"b", 0, "10.0.0.1", 0, Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DeviceEndpoint("a", 0, "10.0.0.1\"", 0, Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DeviceEndpoint.Place(0, "pod\"")).isInstanceOf(IllegalArgumentException.class);
    }

    private static Optional<DeviceEndpoint.Place> place(long device, String pod) {
        return Optional.of(new DeviceEndpoint.Place(device, pod));
    }
}
