package dev.tandem.bench;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AccountTest {

    private static final Scrape PREFILL = Scrape.parse("""
            tandem_handshake_duration_seconds_count{side="sender"} 1
            tandem_handshake_duration_seconds_sum{side="sender"} 0.3381
            tandem_kv_transfer_bytes_total{channel="tcp",direction="sent"} 98304.0
            tandem_kv_transfer_exposed_seconds_count 1
            tandem_kv_transfer_exposed_seconds_sum 0.0012
            """);

    private static final Scrape DECODE = Scrape.parse("""
            tandem_kv_ready_wait_seconds_count 1
            tandem_kv_ready_wait_seconds_sum 0.61
            tandem_kv_transfer_bytes_total{channel="tcp",direction="received"} 98304.0
            tandem_kv_transfer_chunks_total{direction="received"} 1.0
            """);

    private static final Scrape NOTHING = Scrape.parse("");

    @Test
    void tableIsAlignedAndTrue() {
        var account = new Account(PREFILL, DECODE, continuation("transferred", " sea"), continuation("local", " sea"));

        assertThat(account.faults()).isEmpty();
        assertThat(account.table()).isEqualTo("""
                  X-Tandem-Kv       transferred  how the decode node came by the prompt's KV
                  KV moved          1 chunk      98,304 bytes
                  channel           tcp
                  handshake         338.1 ms     once per pair of processes
                  KV wait           610.0 ms     front door: from asking for the prefill to the KV being there
                  exposed transfer  1.2 ms       of that: from the last chunk being computed to the KV being there
                  first token       655.3 ms     client: since the request was sent
                  tokens            4 tokens     equal to those of one process computing all
                """);
    }

    @Test
    void otherTokensAreAFault() {
        var account = new Account(PREFILL, DECODE, continuation("transferred", " sea"), continuation("local", " ship"));

        assertThat(account.faults()).singleElement().asString().contains("\" ship\"");
        assertThat(account.table()).contains("NOT those of one process computing all");
    }

    @Test
    void nothingMovedIsAFault() {
        var account = new Account(NOTHING, NOTHING, continuation("recomputed", " s"), continuation("local", " s"));

        assertThat(account.faults())
                .containsExactly(
                        "the KV was to be transferred, but the front door says: recomputed",
                        "the decode node received no KV");
    }

    @Test
    void sidesThatCountOtherBytesAreAFault() {
        var account = new Account(NOTHING, DECODE, continuation("transferred", " s"), continuation("local", " s"));

        assertThat(account.settled()).isFalse();
        assertThat(account.faults()).containsExactly("the prefill node sent 0 bytes, the decode node received 98304");
    }

    private static Continuation continuation(String kv, String text) {
        return new Continuation(text, 4, "length", kv, Duration.ofNanos(655_281_563));
    }
}
