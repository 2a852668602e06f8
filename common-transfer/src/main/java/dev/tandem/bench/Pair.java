package dev.tandem.bench;

import java.io.PrintStream;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.tandem.transfer.Deadline;

/**
 * A prefill and a decode service on this host, made for each other. They end when this is closed, when this process ends,
 * and when it is killed. Used by one thread; closing is for any, any number of times.
 */
final class Pair implements AutoCloseable {

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private final List<Service> services = new CopyOnWriteArrayList<>();
    private final PrintStream out;
    private volatile boolean closing;

    private Pair(PrintStream out) {
        this.out = out;
        Runtime.getRuntime().addShutdownHook(new Thread(this::closeLate, "end-services"));
    }

    /**
     * What to start.
     *
     * @param logs folder for what the services print
     */
    record Plan(NodePlan prefill, NodePlan decode, Path logs) {

        private static final Set<String> OPTIONS =
                Set.of("--prefill-jar=", "--decode-jar=", "--logs=", "--prefill-arg=", "--decode-arg=");

        /** The arguments of a command that starts a pair. */
        static Set<String> options(Set<String> more) {
            var all = new HashSet<>(OPTIONS);
            all.addAll(more);
            return all;
        }

        /** @param jvmFlags for both services */
        static Plan of(Arguments arguments, List<String> jvmFlags) {
            return new Plan(
                    node(arguments, "prefill", jvmFlags),
                    node(arguments, "decode", jvmFlags),
                    Path.of(arguments.required("--logs")));
        }

        private static NodePlan node(Arguments arguments, String role, List<String> jvmFlags) {
            Path jar = Path.of(arguments.required("--%s-jar".formatted(role)));
            return NodePlan.of(Program.ofJar(jar, jvmFlags), arguments.all("--%s-arg".formatted(role)));
        }
    }

    /**
     * Starts both, each on its usual ports or on free ones near by, and blocks until both are ready.
     *
     * @param out learns what is started where
     * @param patience how long that may take
     * @throws LaunchException with the end of the service's log, if one of them does not become ready; none is left then
     */
    static Pair start(Plan plan, PrintStream out, Duration patience) throws InterruptedException {
        var ports = new PortPlan(new FreePorts(), out);
        NodePlan prefill = ports.prefill(plan.prefill());
        NodePlan decode = ports.decode(plan.decode())
                .orElse("tandem.front-door.prefill-urls", "http://127.0.0.1:" + prefill.port("server.port"));
        var pair = new Pair(out);
        try {
            out.printf("Starting two processes; their logs are in %s%n", plan.logs());
            pair.start("prefill-service", prefill, plan.logs());
            pair.start("decode-service", decode, plan.logs());
            pair.awaitReady(patience);
            return pair;
        } catch (LaunchException | InterruptedException e) {
            pair.close();
            throw e;
        }
    }

    private void start(String name, NodePlan plan, Path logs) {
        Path log = logs.resolve("%s-%d.log".formatted(name, plan.port("server.port")));
        Service service = Service.start(name, plan, log);
        services.add(service);
        out.printf("  %-15s  %s  management %s  pid %d%n", name, service.url(), service.management(), service.pid());
    }

    private void awaitReady(Duration patience) throws InterruptedException {
        long started = System.nanoTime();
        Deadline deadline = Deadline.after(patience);
        for (Service service : services) {
            service.awaitReady(http, deadline);
        }
        out.printf(Locale.ROOT, "Both are ready after %.1f s.%n", (System.nanoTime() - started) / 1e9);
    }

    HttpClient http() {
        return http;
    }

    Service prefill() {
        return services.getFirst();
    }

    Service decode() {
        return services.getLast();
    }

    /**
     * Blocks for as long as both run, which is until somebody ends this process or one of them fails.
     *
     * @throws LaunchException that one has ended; a quiet one if they were meant to
     */
    void awaitEnd() {
        Service ended = services.stream()
                .map(Service::whenEnded)
                .reduce((one, other) -> one.applyToEither(other, service -> service))
                .map(CompletableFuture::join)
                .orElseThrow();
        throw closing ? LaunchException.interrupted() : ended.ended();
    }

    /** This process was told to end while both were up. */
    private void closeLate() {
        if (!closing) {
            out.printf("%nEnding both services.%n");
        }
        close();
    }

    @Override
    public void close() {
        closing = true;
        services.forEach(Service::stop);
        services.forEach(Service::close);
        http.shutdownNow();
    }
}
