package dev.tandem.bench;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** {@code tandem up}: starts a prefill and a decode service, says how to use them, and keeps them up until Ctrl-C. */
public final class Up implements Command {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    public static void main(String[] arguments) {
        new Up().exitAfter(arguments);
    }

    @Override
    public void run(String[] given, PrintStream out) throws InterruptedException {
        Arguments arguments = Arguments.parse(given, Pair.Plan.options(Set.of()));
        try (Pair pair = Pair.start(Pair.Plan.of(arguments, List.of()), out, PATIENCE)) {
            out.print(Guide.of(pair));
            pair.awaitEnd();
        }
    }
}
