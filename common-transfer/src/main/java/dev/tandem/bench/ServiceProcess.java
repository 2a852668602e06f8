package dev.tandem.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One service as a child process, its output in a log file. */
final class ServiceProcess implements AutoCloseable {

    private static final int LAST_LINES = 15;

    private final String name;
    private final Process process;
    private final Path log;
    private final URI readiness;

    private ServiceProcess(String name, Process process, Path log, URI readiness) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.readiness = readiness;
    }

    /**
     * Starts a service; returns before it is ready.
     *
     * @param ports where it listens
     */
    static ServiceProcess start(String name, Path jar, Path runFolder, Ports ports, List<String> args)
            throws IOException {
        Path log = runFolder.resolve(name + ".log");
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=4", "-Dmsgpack.universal-buffer=true"));
        command.addAll(List.of("-jar", jar.toString()));
        command.add("--server.port=" + ports.http());
        command.add("--management.server.port=" + ports.management());
        command.addAll(args);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new ServiceProcess(name, process, log, URI.create(ports.managementUrl() + "/actuator/health/readiness"));
    }

    /** The two HTTP ports of a service. */
    record Ports(int http, int management) {
        String url() {
            return "http://127.0.0.1:" + http;
        }

        String managementUrl() {
            return "http://127.0.0.1:" + management;
        }
    }

    /** @throws IllegalStateException with the end of its log when it is not ready in time, or has ended */
    void awaitReady(HttpClient http, Duration patience) throws InterruptedException {
        long until = System.nanoTime() + patience.toNanos();
        while (!ready(http)) {
            if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
                throw failure("ended with exit code " + process.exitValue());
            }
            if (System.nanoTime() - until > 0) {
                throw failure("is not ready after " + patience.toSeconds() + " s");
            }
        }
    }

    private boolean ready(HttpClient http) throws InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(readiness).timeout(Duration.ofSeconds(2)).build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private IllegalStateException failure(String what) {
        var text = new StringBuilder("%s-service %s; the end of %s:".formatted(name, what, log));
        try {
            List<String> lines = Files.readAllLines(log);
            lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())
                    .forEach(line -> text.append("\n  ").append(line));
        } catch (IOException e) {
            text.append("\n  ").append(e);
        }
        return new IllegalStateException(text.toString());
    }

    /** Asks it to end, and makes it after a while. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
