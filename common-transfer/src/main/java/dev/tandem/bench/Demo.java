package dev.tandem.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Starts both services as two processes and, as {@code demo}, sends a prompt through them and says truly what crossed.
 * Behind {@code ./tandem demo} and {@code ./tandem up}.
 */
public final class Demo {

    private static final Duration START_PATIENCE = Duration.ofSeconds(90);

    private final DemoOptions options;
    private final PrintStream out;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ServiceProcess.Ports prefill;
    private final ServiceProcess.Ports decode;

    private Demo(DemoOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.prefill = new ServiceProcess.Ports(free("prefill HTTP", 8100), free("prefill management", 8101));
        this.decode = new ServiceProcess.Ports(free("decode HTTP", 8200), free("decode management", 8201));
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        int exit = 1;
        try {
            exit = new Demo(DemoOptions.parse(args), out).run();
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            exit = 2;
        } catch (IllegalStateException e) {
            out.println(e.getMessage());
        }
        System.exit(exit);
    }

    private int run() throws IOException, InterruptedException {
        out.println("Starting prefill-service and decode-service ...");
        try (ServiceProcess decodeService = startDecode();
                ServiceProcess prefillService = startPrefill()) {
            var stop = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                stop.countDown();
                prefillService.close();
                decodeService.close();
            }));
            decodeService.awaitReady(http, START_PATIENCE);
            prefillService.awaitReady(http, START_PATIENCE);
            boolean good = !options.talk() || talk();
            if (options.once()) {
                return good ? 0 : 1;
            }
            printUrls();
            stop.await();
            return 0;
        }
    }

    private ServiceProcess startPrefill() throws IOException {
        return ServiceProcess.start("prefill", jar("prefill"), runFolder(), prefill, options.prefillArgs());
    }

    private ServiceProcess startDecode() throws IOException {
        List<String> args = new ArrayList<>();
        args.add("--tandem.front-door.prefill-urls=" + prefill.url());
        args.add("--tandem.transfer.init-port=" + free("init", 7300));
        args.add("--tandem.transfer.alloc-port=" + free("alloc", 7400));
        args.addAll(options.decodeArgs());
        return ServiceProcess.start("decode", jar("decode"), runFolder(), decode, args);
    }

    private static Path jar(String service) {
        return Path.of(System.getProperty("tandem." + service + ".jar", service + "-service.jar"));
    }

    private static Path runFolder() {
        return Path.of(System.getProperty("tandem.run", "run"));
    }

    /** The default port, or a free one if that is taken. */
    private int free(String what, int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            int other = anyFree();
            out.println("Port %d (%s) is taken, using %d.".formatted(port, what, other));
            return other;
        }
    }

    private static int anyFree() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException("no free port: " + e, e);
        }
    }

    /** @return whether KV crossed and the tokens are those of a local run */
    private boolean talk() throws IOException, InterruptedException {
        var client = new FrontDoorClient(http, decode);
        Meters senderBefore = Meters.of(http, prefill);
        Meters receiverBefore = Meters.of(http, decode);
        out.println();
        out.print(options.prompt());
        FrontDoorClient.Reply reply = client.complete(options.prompt(), options.maxTokens(), false, this::printPiece);
        out.println();
        out.println();
        Meters sender = Meters.of(http, prefill);
        Meters receiver = Meters.of(http, decode);
        FrontDoorClient.Reply local = client.complete(options.prompt(), options.maxTokens(), true, _ -> {});
        var account = new Account(out);
        double bytes = receiver.grownSince(receiverBefore, "tandem_kv_transfer_bytes_total", "received");
        double chunks = receiver.grownSince(receiverBefore, "tandem_kv_transfer_chunks_total", "received");
        account.millis("handshake", sender.grownSince(senderBefore, "tandem_handshake_duration_seconds_sum", "sender"));
        account.line("channel", channel(receiver));
        account.line("KV moved", "%.0f chunks, %.0f bytes".formatted(chunks, bytes));
        account.millis("KV wait", receiver.grownSince(receiverBefore, "tandem_kv_ready_wait_seconds_sum", ""));
        account.millis("of it, exposed", sender.grownSince(senderBefore, "tandem_kv_transfer_exposed_seconds_sum", ""));
        account.millis("first token", reply.firstTokenNanos() / 1e9);
        account.line("X-Tandem-Kv", reply.kv());
        boolean equal = reply.text().equals(local.text());
        account.line("tokens equal to a local run", equal ? "yes" : "NO");
        return equal && bytes > 0 && reply.kv().equals("transferred");
    }

    private void printPiece(String piece) {
        out.print(piece);
        out.flush();
    }

    private static String channel(Meters receiver) {
        return receiver.values().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("tandem_kv_transfer_bytes_total{") && entry.getValue() > 0)
                .map(entry -> entry.getKey().replaceAll(".*channel=\"([^\"]*)\".*", "$1"))
                .findFirst()
                .orElse("none");
    }

    private void printUrls() {
        out.println();
        out.println("""
                Both services run; press Ctrl-C to stop them. Logs: %1$s

                  curl %2$s/v1/completions -H 'Content-Type: application/json' \\
                       -d '{"prompt": "The whale", "max_tokens": 60, "temperature": 0}'
                  curl -N %2$s/v1/completions -H 'Content-Type: application/json' \\
                       -d '{"prompt": "The whale", "max_tokens": 60, "stream": true}'
                  curl %3$s/actuator/health           decode node: peers, KV waits, pages
                  curl %4$s/actuator/health           prefill node
                  curl -s %3$s/actuator/prometheus | grep ^tandem_
                """.formatted(runFolder(), decode.url(), decode.managementUrl(), prefill.managementUrl()));
    }

    /** The account, as an aligned table. */
    private record Account(PrintStream out) {

        void line(String what, String value) {
            out.println("  %-28s %s".formatted(what, value));
        }

        void millis(String what, double seconds) {
            line(what, "%.1f ms".formatted(seconds * 1000));
        }
    }
}
