package dev.tandem.decode;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What cannot work stops the process, which says which property it was. */
@Timeout(120)
class StartFailuresIT {

    private static String failedStart(List<String> args, int port, int managementPort) throws Exception {
        Process process = ServicePair.launch(
                "failing",
                System.getProperty("java.class.path"),
                "dev.tandem.decode.DecodeApplication",
                args,
                port,
                managementPort);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isNotZero();
            return Files.readString(Path.of("target", "failing-%d.log".formatted(port)));
        } finally {
            process.destroyForcibly();
        }
    }

    static Stream<String> ports() {
        return Stream.of(
                "tandem.transfer.init-port",
                "tandem.transfer.alloc-port",
                "tandem.transfer.data-port",
                "server.port",
                "management.server.port");
    }

    @ParameterizedTest
    @MethodSource("ports")
    void aTakenPortEndsTheStartNamingItAndItsProperty(String property) throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            // Given
            int port = property.equals("server.port") ? taken.getLocalPort() : ServicePair.freePort();
            int management = property.equals("management.server.port") ? taken.getLocalPort() : ServicePair.freePort();
            var args = new ArrayList<>(List.of("--tandem.transfer.init-port=0", "--tandem.transfer.alloc-port=0"));
            args.add("--%s=%d".formatted(property, taken.getLocalPort()));

            // When
            String log = failedStart(args, port, management);

            // Then
            assertThat(log).contains(property).contains(Integer.toString(taken.getLocalPort()));
            assertThat(log).doesNotContain("Tomcat started on port " + taken.getLocalPort());
        }
    }

    @Test
    void aMisspeltPropertyEndsTheStartAndTheRightOneIsSuggested() throws Exception {
        String log = failedStart(
                List.of("--tandem.transfer.inti-port=7300"), ServicePair.freePort(), ServicePair.freePort());
        assertThat(log).contains("tandem.transfer.inti-port").contains("tandem.transfer.init-port");
    }

    @Test
    void aBufferThatIsNoWholeNumberOfPagesEndsTheStartNamingTheNearestSizes() throws Exception {
        String log = failedStart(
                List.of("--tandem.transfer.buffer-size=1000000B"), ServicePair.freePort(), ServicePair.freePort());
        assertThat(log)
                .contains("tandem.transfer.buffer-size")
                .contains("983040")
                .contains("1179648");
    }

    @Test
    void anAddressThatOthersCannotReachIsNotAdvertised() throws Exception {
        String log = failedStart(List.of("--tandem.host=0.0.0.0"), ServicePair.freePort(), ServicePair.freePort());
        assertThat(log).contains("tandem.host: 0.0.0.0");
    }
}
