package dev.tandem.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;

/**
 * The values of a service's Prometheus page at one moment, by series such as {@code name{tag="value"}}.
 *
 * @param values by series
 */
record Meters(Map<String, Double> values) {

    static Meters of(HttpClient http, ServiceProcess.Ports ports) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(ports.managementUrl() + "/actuator/prometheus"))
                .header("Accept", "text/plain")
                .build();
        var values = new HashMap<String, Double>();
        http.send(request, HttpResponse.BodyHandlers.ofLines())
                .body()
                .filter(line -> line.startsWith("tandem_"))
                .forEach(line -> {
                    int space = line.lastIndexOf(' ');
                    values.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
                });
        return new Meters(values);
    }

    /** The sum over all series of this name that have this tag. */
    double sum(String name, String tag) {
        return values.entrySet().stream()
                .filter(entry ->
                        entry.getKey().startsWith(name + "{") || entry.getKey().equals(name))
                .filter(entry -> tag.isEmpty() || entry.getKey().contains(tag))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    double grownSince(Meters before, String name, String tag) {
        return sum(name, tag) - before.sum(name, tag);
    }
}
