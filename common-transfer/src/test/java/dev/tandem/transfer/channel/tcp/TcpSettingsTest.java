package dev.tandem.transfer.channel.tcp;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TcpSettingsTest {

    @Test
    void usualSettingsWaitFiveSecondsForAHello() {
        TcpSettings usual = TcpSettings.of("0.0.0.0", "node-a", 0, 2);

        assertThat(usual.patience().hello()).isEqualTo(Duration.ofSeconds(5));
        assertThat(usual.patience().progress()).isEqualTo(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65_536})
    void portIsAPort(int port) {
        assertThatThrownBy(() -> TcpSettings.of("::", "node-a", port, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("port: " + port);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 65})
    void connectionsPerPeerAreOneTo64(int connections) {
        assertThatThrownBy(() -> TcpSettings.of("::", "node-a", 0, connections))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("connections per peer: " + connections);
    }

    @Test
    void hostsAreNamed() {
        assertThatThrownBy(() -> TcpSettings.of(" ", "node-a", 0, 2)).hasMessageContaining("bind address");
        assertThatThrownBy(() -> TcpSettings.of("::", "", 0, 2)).hasMessageContaining("advertised host");
        assertThatThrownBy(() -> TcpSettings.of("::", "x".repeat(256), 0, 2)).hasMessageContaining("advertised host");
    }

    @Test
    void limitsAndPatienceArePositive() {
        assertThatThrownBy(() -> new TcpSettings.Limits(0, 1, 1)).hasMessageContaining("batch entries");
        assertThatThrownBy(() -> new TcpSettings.Limits(65_537, 1, 1)).hasMessageContaining("batch entries");
        assertThatThrownBy(() -> new TcpSettings.Limits(1, 0, 1)).hasMessageContaining("strangers");
        assertThatThrownBy(() -> new TcpSettings.Limits(1, 1, 0)).hasMessageContaining("workers");
        assertThatThrownBy(() -> new TcpSettings.Patience(Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("hello time-out");
        assertThatThrownBy(() -> new TcpSettings.Patience(Duration.ofSeconds(1), Duration.ofDays(2)))
                .hasMessageContaining("progress time-out");
    }
}
