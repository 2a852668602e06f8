package dev.tandem.transfer.channel.hccl;

import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tells HCCL which two devices a communicator joins: the receiver as rank 0, the sender as rank 1. JSON, of version 1.2
 * where both devices have a place in a super pod, else 1.0. Its values need no escaping, see {@link DeviceEndpoint}.
 */
final class RankTable {

    static final int SERVER = 0;
    static final int CLIENT = 1;

    private RankTable() {}

    static String of(DeviceEndpoint server, DeviceEndpoint client) {
        boolean inPods = server.place().isPresent() && client.place().isPresent();
        boolean sameHost = server.host().equals(client.host());
        String first = device(server, SERVER, inPods);
        String second = device(client, CLIENT, inPods);
        String hosts = sameHost ? host(server, first + "," + second) : host(server, first) + "," + host(client, second);
        return """
                {"version":"%s","server_count":"%d","server_list":[%s],%s"status":"completed"}""".formatted(inPods ? "1.2" : "1.0", sameHost ? 1 : 2, hosts, inPods ? pods(server, client) : "");
    }

    private static String host(DeviceEndpoint endpoint, String devices) {
        return "{\"server_id\":\"%s\",\"device\":[%s]}".formatted(endpoint.host(), devices);
    }

    private static String device(DeviceEndpoint endpoint, int rank, boolean inPods) {
        StringBuilder device = new StringBuilder("{\"device_id\":\"%d\"".formatted(endpoint.device()));
        if (!endpoint.ip().isEmpty()) {
            device.append(",\"device_ip\":\"%s\"".formatted(endpoint.ip()));
        }
        if (endpoint.port() != 0) {
            device.append(",\"device_port\":\"%d\"".formatted(endpoint.port()));
        }
        if (inPods) {
            device.append(",\"super_device_id\":\"%d\""
                    .formatted(endpoint.place().orElseThrow().device()));
        }
        return device.append(",\"rank_id\":\"%d\"}".formatted(rank)).toString();
    }

    private static String pods(DeviceEndpoint server, DeviceEndpoint client) {
        String pods = Stream.of(server, client)
                .collect(Collectors.groupingBy(
                        endpoint -> endpoint.place().orElseThrow().pod(),
                        TreeMap::new,
                        Collectors.mapping(DeviceEndpoint::host, Collectors.toCollection(TreeSet::new))))
                .entrySet()
                .stream()
                .map(pod -> "{\"super_pod_id\":\"%s\",\"server_list\":[%s]}"
                        .formatted(
                                pod.getKey(),
                                pod.getValue().stream()
                                        .map("{\"server_id\":\"%s\"}"::formatted)
                                        .collect(Collectors.joining(","))))
                .collect(Collectors.joining(","));
        return "\"super_pod_list\":[%s],".formatted(pods);
    }
}
