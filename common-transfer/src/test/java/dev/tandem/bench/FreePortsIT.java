package dev.tandem.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class FreePortsIT {

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "127.0.0.1"})
    void takenPortIsPassedOver(String address) throws IOException {
        try (var taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getByName(address), 0));

            int port = new FreePorts().near(taken.getLocalPort());

            assertThat(port).isGreaterThan(taken.getLocalPort());
            assertThat((port - taken.getLocalPort()) % 10).isZero();
        }
    }

    @Test
    void noPortIsPickedTwice() {
        var ports = new FreePorts();

        assertThat(ports.near(20_000)).isNotEqualTo(ports.near(20_000));
    }
}
