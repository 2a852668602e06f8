package dev.tandem.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.Deadline;

/** A service that runs as a child process on this host. Thread-safe. Whoever starts it closes it, which ends it. */
final class Service implements AutoCloseable {

    /** What a process answers that ended by the terminal's interrupt, which reaches children as well. */
    private static final int INTERRUPTED = 130;

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PROBE = Duration.ofSeconds(2);
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int TAIL_LINES = 20;

    private final String name;
    private final Process process;
    private final Path log;
    private final URI url;
    private final URI management;

    private Service(String name, Process process, Path log, NodePlan plan) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.url = local(plan.port("server.port"));
        this.management = local(plan.port("management.server.port"));
    }

    /**
     * Starts it; it is not ready yet.
     *
     * @param plan must name both HTTP ports
     * @param log takes all that it prints; what was in there is lost
     */
    static Service start(String name, NodePlan plan, Path log) {
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            Process process = new ProcessBuilder(plan.command())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new Service(name, process, log, plan);
        } catch (IOException e) {
            throw new LaunchException("%s cannot be started: %s".formatted(name, e.getMessage()), e);
        }
    }

    private static URI local(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Where it serves. */
    URI url() {
        return url;
    }

    /** Where it shows health and metrics. */
    URI management() {
        return management;
    }

    /** Its metrics now. Blocks. */
    Scrape metrics(HttpClient http) throws InterruptedException {
        return Scrape.of(http, management);
    }

    long pid() {
        return process.pid();
    }

    /**
     * Blocks until it says that it is ready.
     *
     * @throws LaunchException with the last lines of its log, if it ends or the deadline passes before
     */
    void awaitReady(HttpClient http, Deadline deadline) throws InterruptedException {
        while (!isReady(http)) {
            if (process.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
                throw ended();
            }
            if (deadline.hasPassed()) {
                throw failure("is not ready in time");
            }
        }
    }

    private boolean isReady(HttpClient http) throws InterruptedException {
        HttpRequest probe = HttpRequest.newBuilder(management.resolve("/actuator/health/readiness"))
                .timeout(PROBE)
                .build();
        try {
            return http.send(probe, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Completes when the process has ended. */
    CompletableFuture<Service> whenEnded() {
        return process.onExit().thenApply(_ -> this);
    }

    /** How it has ended. */
    LaunchException ended() {
        int code = process.exitValue();
        return code == INTERRUPTED ? LaunchException.interrupted() : failure("ended with exit code " + code);
    }

    private LaunchException failure(String what) {
        return new LaunchException("%s %s. The end of its log, %s:%n%s".formatted(name, what, log, tail()));
    }

    private String tail() {
        try {
            List<String> lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            List<String> last = lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
            return "  " + String.join(System.lineSeparator() + "  ", last);
        } catch (IOException e) {
            return "  (cannot be read: %s)".formatted(e.getMessage());
        }
    }

    /** Asks it to end; returns at once. */
    void stop() {
        process.destroy();
    }

    /** Ends it: politely, and after ten seconds by force. Blocks until then. */
    @Override
    public void close() {
        stop();
        if (!process.onExit()
                .completeOnTimeout(process, GRACE.toMillis(), TimeUnit.MILLISECONDS)
                .join()
                .isAlive()) {
            return;
        }
        process.destroyForcibly()
                .onExit()
                .orTimeout(GRACE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
