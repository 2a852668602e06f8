package dev.tandem.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A service's metrics at one moment, or what they grew by between two.
 *
 * @param samples value by name and labels as they stand in the Prometheus text, such as {@code pages{state="free"}}
 */
record Scrape(Map<String, Double> samples) {

    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*(?:\\{.*})?) (\\S+).*");
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    Scrape {
        samples = Map.copyOf(samples);
    }

    /**
     * Asks a service. Blocks.
     *
     * @param management where it shows its metrics
     * @throws LaunchException if it does not answer them within five seconds
     */
    static Scrape of(HttpClient http, URI management) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(management.resolve("/actuator/prometheus"))
                .timeout(PATIENCE)
                .build();
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new LaunchException("%s answered %d".formatted(request.uri(), response.statusCode()));
            }
            return parse(response.body());
        } catch (IOException e) {
            throw new LaunchException("%s: %s".formatted(request.uri(), e), e);
        }
    }

    /** Reads Prometheus text. */
    static Scrape parse(String text) {
        var samples = new TreeMap<String, Double>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            var sample = SAMPLE.matcher(line);
            if (sample.matches()) {
                samples.put(sample.group(1), Double.valueOf(sample.group(2).replace("Inf", "Infinity")));
            }
        });
        return new Scrape(samples);
    }

    /** What the samples grew by since an earlier scrape, where what is new there began at zero. */
    Scrape since(Scrape earlier) {
        var growth = new TreeMap<String, Double>();
        samples.forEach((sample, value) -> growth.put(sample, value - earlier.samples.getOrDefault(sample, 0.0)));
        return new Scrape(growth);
    }

    /**
     * The sum of a meter's samples.
     *
     * @param labels those to count, each as {@code name="value"}; none counts all
     */
    double sum(String name, String... labels) {
        return named(name)
                .filter(sample -> Stream.of(labels).allMatch(sample.getKey()::contains))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    /** The mean of a timer's recordings; zero if there is none. */
    Duration mean(String timer, String... labels) {
        double count = sum(timer + "_seconds_count", labels);
        double seconds = sum(timer + "_seconds_sum", labels);
        return count == 0 ? Duration.ZERO : Duration.ofNanos(Math.round(seconds / count * 1e9));
    }

    /** The values of a label among a meter's samples that are more than zero. */
    List<String> values(String name, String label) {
        var pattern = Pattern.compile("[{,]" + Pattern.quote(label) + "=\"([^\"]*)\"");
        return named(name)
                .filter(sample -> sample.getValue() > 0)
                .flatMap(sample -> pattern.matcher(sample.getKey()).results())
                .map(found -> found.group(1))
                .distinct()
                .sorted()
                .toList();
    }

    private Stream<Map.Entry<String, Double>> named(String name) {
        return samples.entrySet().stream()
                .filter(sample ->
                        sample.getKey().equals(name) || sample.getKey().startsWith(name + "{"));
    }
}
