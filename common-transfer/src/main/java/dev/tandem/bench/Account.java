package dev.tandem.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What happened to one prompt, by the services' own metrics and the client's clock.
 *
 * @param prefill what the prefill node's metrics grew by
 * @param decode what the decode node's metrics grew by
 * @param handedOver the continuation from KV that was handed over
 * @param local the same prompt's, computed by one process
 */
record Account(Scrape prefill, Scrape decode, Continuation handedOver, Continuation local) {

    private static final String BYTES = "tandem_kv_transfer_bytes_total";
    private static final String CHUNKS = "tandem_kv_transfer_chunks_total";
    private static final String RECEIVED = "direction=\"received\"";
    private static final String SENT = "direction=\"sent\"";

    private record Row(String what, String value, String meaning) {}

    /** What was not as it must be; empty if all was. */
    List<String> faults() {
        var faults = new ArrayList<String>();
        if (!handedOver.kv().equals("transferred")) {
            faults.add("the KV was to be transferred, but the front door says: " + handedOver.kv());
        }
        if (received() == 0) {
            faults.add("the decode node received no KV");
        }
        if (!settled()) {
            faults.add("the prefill node sent %.0f bytes, the decode node received %.0f".formatted(sent(), received()));
        }
        if (!handedOver.equalTo(local)) {
            faults.add("one process computing all continues otherwise: \"%s\"".formatted(local.text()));
        }
        return faults;
    }

    /** Whether both sides have counted the same bytes. */
    boolean settled() {
        return sent() == received();
    }

    private double received() {
        return decode.sum(BYTES, RECEIVED);
    }

    private double sent() {
        return prefill.sum(BYTES, SENT);
    }

    /** An aligned table, each line ended. */
    String table() {
        List<Row> rows = rows();
        int what = width(rows.stream().map(Row::what));
        int value = width(rows.stream().map(Row::value));
        String format = "  %-" + what + "s  %-" + value + "s  %s";
        return rows.stream()
                .map(row ->
                        format.formatted(row.what(), row.value(), row.meaning()).stripTrailing() + "\n")
                .collect(Collectors.joining());
    }

    private List<Row> rows() {
        double chunks = decode.sum(CHUNKS, RECEIVED);
        String over = String.join(", ", decode.values(BYTES, "channel"));
        return List.of(
                new Row("X-Tandem-Kv", handedOver.kv(), "how the decode node came by the prompt's KV"),
                new Row("KV moved", count(chunks, "chunk"), count(received(), "byte")),
                new Row("channel", over.isEmpty() ? "none" : over, ""),
                new Row(
                        "handshake",
                        millis(prefill.mean("tandem_handshake_duration", "side=\"sender\"")),
                        "once per pair of processes"),
                new Row(
                        "KV wait",
                        millis(decode.mean("tandem_kv_ready_wait")),
                        "front door: from asking for the prefill to the KV being there"),
                new Row(
                        "exposed transfer",
                        millis(prefill.mean("tandem_kv_transfer_exposed")),
                        "of that: from the last chunk being computed to the KV being there"),
                new Row("first token", millis(handedOver.firstToken()), "client: since the request was sent"),
                new Row(
                        "tokens",
                        count(handedOver.tokens(), "token"),
                        handedOver.equalTo(local)
                                ? "equal to those of one process computing all"
                                : "NOT those of one process computing all"));
    }

    private static int width(Stream<String> column) {
        return column.mapToInt(String::length).max().orElse(1);
    }

    private static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
    }

    private static String count(double number, String what) {
        return String.format(Locale.ROOT, "%,.0f %s%s", number, what, number == 1 ? "" : "s");
    }
}
