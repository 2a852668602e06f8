package dev.tandem.openai;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import tools.jackson.databind.JsonNode;

/**
 * {@code kv_transfer_params} of a prefill request: to whom the KV goes (docs/protocol.md, "HTTP").
 *
 * @param reqId names the attempt at the receiver's front door
 * @param receiverHost of all ranks
 * @param initPorts one per rank
 * @param allocPorts one per rank
 * @param awaitTransfer answer when the transfer has ended, not when the first token is computed; Tandem's front door
 *     asks for it, so that a failed transfer reaches it as an HTTP error
 * @param notifyUrl {@code host:port} that wants a ProxyNotif, if the allow-list has it
 */
public record TransferParams(
        String reqId,
        String receiverHost,
        List<Integer> initPorts,
        List<Integer> allocPorts,
        boolean awaitTransfer,
        Optional<String> notifyUrl) {

    private static final int MAX_ID = 256;

    public TransferParams {
        initPorts = List.copyOf(initPorts);
        allocPorts = List.copyOf(allocPorts);
    }

    static Optional<TransferParams> parse(JsonNode params) {
        JsonNode spec = params.path("disagg_spec");
        if (spec.isMissingNode() || spec.isNull()) {
            return Optional.empty();
        }
        var fields = new Fields(spec);
        String reqId = fields.text("req_id").orElseThrow(() -> bad("req_id", "missing"));
        if (reqId.isEmpty() || reqId.length() > MAX_ID) {
            throw bad("req_id", "%d characters, must be 1..%d".formatted(reqId.length(), MAX_ID));
        }
        String host = fields.text("receiver_host").orElseThrow(() -> bad("receiver_host", "missing"));
        List<Integer> init = ports(spec, "receiver_init_port");
        List<Integer> alloc = ports(spec, "receiver_alloc_port");
        if (init.size() != alloc.size()) {
            throw bad(
                    "receiver_alloc_port",
                    "%d ports, but %d of receiver_init_port".formatted(alloc.size(), init.size()));
        }
        return Optional.of(
                new TransferParams(reqId, host, init, alloc, fields.flag("await_transfer"), fields.text("notify_url")));
    }

    private static List<Integer> ports(JsonNode spec, String name) {
        JsonNode list = spec.path(name);
        var ports = new ArrayList<Integer>();
        for (JsonNode port : list.isArray() ? list : List.of(list)) {
            if (!port.isInt() || port.asInt() < 1 || port.asInt() > 65_535) {
                throw bad(name, "%s is not a port, or a list of ports, one per rank".formatted(list));
            }
            ports.add(port.asInt());
        }
        if (ports.isEmpty()) {
            throw bad(name, "names no port");
        }
        return ports;
    }

    private static ApiException bad(String name, String message) {
        return ApiException.badField("kv_transfer_params.disagg_spec." + name, message);
    }
}
