package dev.tandem.decode;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Both services as processes of their own, from their class paths, on free ports. The prefill service's classes are not
 * on this module's class path: the build has made them before this module's integration tests run.
 */
final class ServicePair implements AutoCloseable {

    static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient http = HttpClient.newHttpClient();
    private final int prefillPort = freePort();
    private final int prefillManagement = freePort();
    private final int decodePort = freePort();
    private final int decodeManagement = freePort();
    private final int initPort = freePort();
    private final int allocPort = freePort();
    private final List<String> decodeArgs;
    private Process prefill;
    private Process decode;

    private ServicePair(String... decodeArgs) {
        this.decodeArgs = List.of(decodeArgs);
        this.decode = startDecode();
        this.prefill = startPrefill();
    }

    static ServicePair start(String... decodeArgs) {
        var pair = new ServicePair(decodeArgs);
        pair.awaitReady();
        return pair;
    }

    /** What a client got. */
    record Reply(int status, String kv, JsonNode body) {
        String text() {
            return body.path("choices").path(0).path("text").asString();
        }
    }

    Reply complete(Map<String, Object> body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:%d/v1/completions".formatted(decodePort)))
                .header("Content-Type", "application/json")
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            HttpResponse<byte[]> response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            String kv = response.headers().firstValue("X-Tandem-Kv").orElse("");
            return new Reply(response.statusCode(), kv, JSON.readTree(response.body()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Reply greedy(String prompt, int maxTokens, String... headers) {
        return complete(Map.of("prompt", prompt, "max_tokens", maxTokens, "temperature", 0), headers);
    }

    JsonNode decodeHealth() {
        return get(decodeManagement, "/actuator/health");
    }

    JsonNode prefillHealth() {
        return get(prefillManagement, "/actuator/health");
    }

    private JsonNode get(int port, String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
                    .timeout(Duration.ofSeconds(5))
                    .build();
            return JSON.readTree(
                    http.send(request, HttpResponse.BodyHandlers.ofByteArray()).body());
        } catch (IOException e) {
            return JSON.createObjectNode();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    void killPrefill() {
        kill(prefill);
    }

    void killDecode() {
        kill(decode);
    }

    private static void kill(Process process) {
        process.destroyForcibly();
        process.onExit().join();
    }

    void restartPrefill() {
        prefill = startPrefill();
        awaitReady();
    }

    void restartDecode() {
        decode = startDecode();
        awaitReady();
    }

    Process prefillProcess() {
        return prefill;
    }

    private void awaitReady() {
        Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
            assertThat(prefill.isAlive()).isTrue();
            assertThat(decode.isAlive()).isTrue();
            assertThat(get(decodeManagement, "/actuator/health/readiness")
                            .path("status")
                            .asString(""))
                    .isEqualTo("UP");
            assertThat(get(prefillManagement, "/actuator/health/readiness")
                            .path("status")
                            .asString(""))
                    .isEqualTo("UP");
        });
    }

    /** No page is reserved, pinned or in quarantine, and nobody waits. */
    void awaitBaseline() {
        Awaitility.await().atMost(Duration.ofSeconds(45)).untilAsserted(() -> {
            for (JsonNode health : List.of(decodeHealth(), prefillHealth())) {
                JsonNode pages = health.path("components").path("pages").path("details");
                assertThat(pages.path("reserved").asInt(-1)).isZero();
                assertThat(pages.path("pinned").asInt(-1)).isZero();
                assertThat(pages.path("quarantined").asInt(-1)).isZero();
            }
            JsonNode waits = decodeHealth().path("components").path("kvReady").path("details");
            assertThat(waits.path("waiting").asInt(-1)).isZero();
        });
    }

    private Process startPrefill() {
        String classes = Path.of("../prefill-service/target/classes")
                .toAbsolutePath()
                .normalize()
                .toString();
        return launch(
                "prefill",
                classes + File.pathSeparator + System.getProperty("java.class.path"),
                "dev.tandem.prefill.PrefillApplication",
                List.of("--spring.config.location=file:" + classes + "/application.yaml"),
                prefillPort,
                prefillManagement);
    }

    private Process startDecode() {
        var args = new ArrayList<String>(decodeArgs);
        args.add("--tandem.front-door.prefill-urls=http://127.0.0.1:" + prefillPort);
        args.add("--tandem.transfer.init-port=" + initPort);
        args.add("--tandem.transfer.alloc-port=" + allocPort);
        return launch(
                "decode",
                System.getProperty("java.class.path"),
                "dev.tandem.decode.DecodeApplication",
                args,
                decodePort,
                decodeManagement);
    }

    static Process launch(String name, String classPath, String main, List<String> args, int port, int managementPort) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", classPath, main));
        command.add("--server.port=" + port);
        command.add("--management.server.port=" + managementPort);
        command.add("--tandem.admin.token=test");
        command.addAll(args);
        try {
            Path log = Path.of("target", name + "-" + port + ".log");
            Files.createDirectories(Path.of("target"));
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int freePort() {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        for (Process process : List.of(prefill, decode)) {
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    kill(process);
                }
            } catch (InterruptedException e) {
                kill(process);
                Thread.currentThread().interrupt();
            }
        }
    }
}
