package dev.tandem.bench;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScrapeTest {

    private static final Scrape BEFORE = Scrape.parse("""
            # HELP moved_total what moved
            # TYPE moved_total counter
            moved_total{channel="tcp",direction="received"} 10.0
            """);

    private static final Scrape AFTER = Scrape.parse("""
            moved_total{channel="tcp",direction="received"} 15.0
            moved_total{channel="shm",direction="received"} 1.5e3
            moved_total{channel="shm",direction="sent"} 7.0 1796124731000
            moved_total{channel="hccl",direction="received"} 0.0
            moved_total_max 99
            wait_seconds_count 4
            wait_seconds_sum 0.01
            wait_seconds_bucket{le="+Inf"} 4
            odd{text="a } \\" b",x="y"} NaN
            """);

    @Test
    void meterGrowsFromWhatItWasOrFromZero() {
        Scrape growth = AFTER.since(BEFORE);

        assertThat(growth.sum("moved_total", "direction=\"received\"")).isEqualTo(1505);
        assertThat(growth.sum("moved_total", "direction=\"received\"", "channel=\"tcp\""))
                .isEqualTo(5);
        assertThat(growth.sum("moved_total")).isEqualTo(1512);
    }

    @Test
    void meterThatIsNotThereIsZero() {
        assertThat(AFTER.sum("moved")).isZero();
        assertThat(AFTER.mean("moved")).isEqualTo(Duration.ZERO);
    }

    @Test
    void timerHasTheMeanOfItsRecordings() {
        assertThat(AFTER.mean("wait")).isEqualTo(Duration.ofMillis(2).plusNanos(500_000));
    }

    @Test
    void onlyLabelsOfWhatCountedAreListed() {
        assertThat(AFTER.values("moved_total", "channel")).containsExactly("shm", "tcp");
    }

    @Test
    void everyLineIsRead() {
        assertThat(AFTER.samples()).hasSize(9);
    }
}
