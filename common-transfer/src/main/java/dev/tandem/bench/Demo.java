package dev.tandem.bench;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import dev.tandem.bench.FrontDoor.Ask;
import dev.tandem.bench.FrontDoor.Route;
import dev.tandem.transfer.Deadline;

/**
 * {@code tandem demo}: starts a prefill and a decode service, sends one prompt through them, and tells what happened.
 * Fails if the KV was not handed over, or if the tokens are not those of one process that computes all.
 *
 * <p>With {@code --once} it then ends; without, both services stay up until Ctrl-C.
 */
public final class Demo implements Command {

    private static final String PROMPT = "Call me Ishmael. Some years ago";
    private static final int TOKENS = 96;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration SETTLE = Duration.ofSeconds(5);
    private static final Set<String> OPTIONS = Set.of("--once", "--prompt=", "--max-tokens=");

    /** Halves the work of starting; the one request that follows meets cold code anyway. */
    private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1");

    public static void main(String[] arguments) {
        new Demo().exitAfter(arguments);
    }

    @Override
    public void run(String[] given, PrintStream out) throws InterruptedException {
        Arguments arguments = Arguments.parse(given, Pair.Plan.options(OPTIONS));
        var ask = new Ask(arguments.last("--prompt").orElse(PROMPT), arguments.positive("--max-tokens", TOKENS));
        try (Pair pair = Pair.start(Pair.Plan.of(arguments, QUICK_START), out, PATIENCE)) {
            tell(account(pair, ask, out), out);
            if (!arguments.has("--once")) {
                out.print(Guide.of(pair));
                pair.awaitEnd();
            }
        }
    }

    private static Account account(Pair pair, Ask ask, PrintStream out) throws InterruptedException {
        var door = new FrontDoor(pair.http(), pair.decode().url());
        Scrape prefill = pair.prefill().metrics(pair.http());
        Scrape decode = pair.decode().metrics(pair.http());

        out.printf("%nprefill-service computes the prompt; decode-service gets its KV cache and continues:%n%n");
        show(out, "  " + ask.prompt());
        Continuation handedOver = door.complete(ask, Route.PAIR, piece -> show(out, piece), Deadline.after(PATIENCE));
        out.printf("%n%n");
        Continuation local = door.complete(ask, Route.LOCAL, _ -> {}, Deadline.after(PATIENCE));

        Deadline settled = Deadline.after(SETTLE);
        Account account;
        do {
            account = new Account(
                    pair.prefill().metrics(pair.http()).since(prefill),
                    pair.decode().metrics(pair.http()).since(decode),
                    handedOver,
                    local);
        } while (!account.settled() && !settled.hasPassed());
        return account;
    }

    private static void show(PrintStream out, String piece) {
        out.print(piece);
        out.flush();
    }

    private static void tell(Account account, PrintStream out) {
        out.print(account.table());
        out.printf("%nThe times are those of the first request that both processes ever saw.%n");
        List<String> faults = account.faults();
        if (!faults.isEmpty()) {
            throw new LaunchException(
                    "this is not as it must be:%n  %s".formatted(String.join(System.lineSeparator() + "  ", faults)));
        }
    }
}
