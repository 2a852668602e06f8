package dev.tandem.transfer.channel.hccl;

/**
 * What the sender says in Init: which device it is, and where a probe finds it.
 *
 * @param probe the sender's probe page
 */
record Greeting(DeviceEndpoint endpoint, ProbePage.Target probe) {

    byte[] toBytes() {
        return Packing.GREETING.pack(out -> {
            endpoint.writeTo(out);
            probe.writeTo(out);
        });
    }

    static Greeting from(byte[] bytes) {
        return Packing.GREETING.unpack(bytes, in -> new Greeting(DeviceEndpoint.from(in), ProbePage.Target.from(in)));
    }
}
