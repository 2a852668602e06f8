package dev.tandem.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;

/**
 * As much of a service as the launcher sees: two HTTP ports, readiness, metrics, and a completion that is always the same.
 * {@code --fake=WAY} makes it fail in one way.
 */
public final class FakeService {

    private final Map<String, String> properties = new HashMap<>();
    private int completions;

    private FakeService(String[] args) {
        for (String arg : args) {
            int equals = arg.indexOf('=');
            properties.put(arg.substring(2, equals), arg.substring(equals + 1));
        }
    }

    public static void main(String[] args) throws IOException {
        var service = new FakeService(args);
        if (service.is("refuse")) {
            System.out.println("no, I will not start");
            System.exit(3);
        }
        service.serve();
    }

    private boolean is(String way) {
        return way.equals(properties.get("fake"));
    }

    private void serve() throws IOException {
        listen("server.port", "/", this::complete);
        listen("management.server.port", "/actuator/health/readiness", exchange -> answer(exchange, 200, "{}"));
    }

    private void listen(String port, String path, HttpHandler handler) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(properties.get(port)));
        HttpServer server = HttpServer.create(address, 0);
        server.createContext(path, handler);
        server.createContext("/actuator/prometheus", exchange -> answer(exchange, 200, metrics()));
        server.start();
    }

    private String metrics() {
        String direction = properties.containsKey("tandem.front-door.prefill-urls") ? "received" : "sent";
        return """
                tandem_kv_transfer_bytes_total{channel="tcp",direction="%1$s"} %2$d
                tandem_kv_transfer_chunks_total{direction="%1$s"} %3$d
                """.formatted(direction, completions * 3072L, completions);
    }

    /** A decode service's front door, or, asked by one, a prefill service that has sent its chunk. */
    private void complete(HttpExchange exchange) throws IOException {
        boolean local = exchange.getRequestHeaders().containsKey("X-Tandem-Local");
        String prefill = properties.get("tandem.front-door.prefill-urls");
        if (!local) {
            completions++;
        }
        if (!local && prefill != null) {
            URI.create(prefill).toURL().openStream().close();
        }
        String kv = local ? "local" : is("recompute") ? "recomputed" : "transferred";
        exchange.getResponseHeaders().set("X-Tandem-Kv", kv);
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream;charset=UTF-8");
        answer(exchange, 200, events(local && is("differ") ? " ship" : " séa"));
    }

    private static String events(String text) {
        return """
                data: {"choices":[{"text":"%s","finish_reason":null}]}

                data: {"choices":[{"text":"","finish_reason":"length"}]}

                data: {"choices":[],"usage":{"completion_tokens":4}}

                data: [DONE]

                """.formatted(text);
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }
}
