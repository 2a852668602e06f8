package dev.tandem.bench;

/** What one can do with a pair that is up, ready to paste. */
final class Guide {

    private Guide() {}

    static String of(Pair pair) {
        return """

            Both services are up. Ctrl-C ends them. In another terminal:

            A completion:
              curl -s %1$s/v1/completions -H 'Content-Type: application/json' \\
                -d '{"prompt": "The ship sailed", "max_tokens": 48, "temperature": 0}'

            The same, streamed, with the headers that say how the KV came about:
              curl -siN %1$s/v1/completions -H 'Content-Type: application/json' \\
                -d '{"prompt": "The captain said", "max_tokens": 48, "temperature": 0, "stream": true}'

            Health of both, with every peer's state:
              curl -s %2$s/actuator/health
              curl -s %3$s/actuator/health

            Metrics:
              curl -s %2$s/actuator/prometheus | grep ^tandem_kv
              curl -s %3$s/actuator/prometheus | grep ^tandem_kv

            """.formatted(
                pair.decode().url(), pair.prefill().management(), pair.decode().management());
    }
}
