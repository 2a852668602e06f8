package dev.tandem.transfer.channel.hccl;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Optional;

/**
 * One side of a communicator, as rank tables name it.
 *
 * @param host where the device is
 * @param device physical id on that host
 * @param ip of the device's own network port; empty where a super pod connects the devices
 * @param port that its processes listen on for HCCL; 0 for HCCL's own choice
 * @param place in a super pod, of the chips that have one
 */
record DeviceEndpoint(String host, int device, String ip, int port, Optional<Place> place) {

    /** What a host may be called; such a name needs no escaping in a rank table. */
    static final String HOST = "[A-Za-z0-9._:%-]{1,64}";

    private static final String IP = "[0-9A-Fa-f.:]{0,64}";
    private static final String POD = "[A-Za-z0-9._-]{1,64}";

    /**
     * A device's place among the devices that are connected as one.
     *
     * @param device id within the pod
     */
    record Place(long device, String pod) {

        Place {
            requireMatch("super pod", pod, POD);
        }
    }

    DeviceEndpoint {
        requireMatch("host", host, HOST);
        requireMatch("device ip", ip, IP);
        if (device < 0) {
            throw new IllegalArgumentException("device: %d is negative".formatted(device));
        }
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("device port: %d is not in 0..65535".formatted(port));
        }
        if (ip.isEmpty() && place.isEmpty()) {
            throw new IllegalArgumentException("device %d of %s: it has no ip".formatted(device, host));
        }
    }

    /** Whether HCCL could not tell the two apart. */
    boolean clashesWith(DeviceEndpoint other) {
        return host.equals(other.host) && device == other.device && port == other.port;
    }

    void writeTo(DataOutputStream out) throws IOException {
        out.writeUTF(host);
        out.writeInt(device);
        out.writeUTF(ip);
        out.writeInt(port);
        out.writeBoolean(place.isPresent());
        if (place.isPresent()) {
            out.writeLong(place.get().device());
            out.writeUTF(place.get().pod());
        }
    }

    static DeviceEndpoint from(DataInputStream in) throws IOException {
        String host = in.readUTF();
        int device = in.readInt();
        String ip = in.readUTF();
        int port = in.readInt();
        Optional<Place> place =
                in.readBoolean() ? Optional.of(new Place(in.readLong(), in.readUTF())) : Optional.empty();
        return new DeviceEndpoint(host, device, ip, port, place);
    }

    private static void requireMatch(String what, String value, String pattern) {
        if (!value.matches(pattern)) {
            throw new IllegalArgumentException("%s: not acceptable".formatted(what));
        }
    }
}
