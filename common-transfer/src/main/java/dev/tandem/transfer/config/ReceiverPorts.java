package dev.tandem.transfer.config;

import java.util.List;

/**
 * Where this node's ranks are reached by senders; the ports that were bound.
 *
 * @param host advertised name or address
 * @param initPorts one per rank
 * @param allocPorts one per rank
 */
public record ReceiverPorts(String host, List<Integer> initPorts, List<Integer> allocPorts) {

    public ReceiverPorts {
        initPorts = List.copyOf(initPorts);
        allocPorts = List.copyOf(allocPorts);
    }
}
