package dev.tandem.bench;

import java.io.PrintStream;

/** Gives services their ports: those they are told, else the usual ones, else free ones, which it says. Used by one thread. */
final class PortPlan {

    private final FreePorts free;
    private final PrintStream out;

    PortPlan(FreePorts free, PrintStream out) {
        this.free = free;
        this.out = out;
    }

    NodePlan prefill(NodePlan plan) {
        return here(plan, 8100, 8101);
    }

    NodePlan decode(NodePlan plan) {
        NodePlan node = here(plan, 8200, 8201);
        node = with(node, "tandem.transfer.init-port", 7300);
        return with(node, "tandem.transfer.alloc-port", 7400);
    }

    /** On the loopback address: a demonstration is nobody else's business. */
    private NodePlan here(NodePlan plan, int http, int management) {
        NodePlan node = plan.orElse("server.address", "127.0.0.1").orElse("management.server.address", "127.0.0.1");
        return with(with(node, "server.port", http), "management.server.port", management);
    }

    private NodePlan with(NodePlan plan, String property, int usual) {
        if (plan.properties().containsKey(property)) {
            return plan;
        }
        int port = free.near(usual);
        if (port != usual) {
            out.printf("port %d is taken, using %d instead%n", usual, port);
        }
        return plan.orElse(property, port);
    }
}
