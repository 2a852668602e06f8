package dev.tandem.transfer.channel.hccl;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class HccnAddressTest {

    @TempDir
    Path directory;

    @Test
    void addressOfADeviceIsTakenFromTheFile() throws Exception {
        Path file = Files.writeString(directory.resolve("hccn.conf"), """
                address_1=10.0.0.1
                netmask_1=255.255.255.0
                address_10=10.0.0.10
                """);

        assertThat(HccnAddress.of(1, network(file, Path.of("no-such-tool")))).contains("10.0.0.1");
        assertThat(HccnAddress.of(10, network(file, Path.of("no-such-tool")))).contains("10.0.0.10");
    }

    @Test
    void toolIsAskedForWhatTheFileDoesNotHave() throws Exception {
        Path tool = script("echo \"ipaddr:10.0.0.$2\"; echo netmask:255.255.255.0");

        assertThat(HccnAddress.of(7, network(directory.resolve("absent"), tool)))
                .contains("10.0.0.7");
    }

    @Test
    void toolThatFailsOrSaysNothingKnowsNoAddress() throws Exception {
        assertThat(HccnAddress.of(7, network(directory.resolve("absent"), script("echo ipaddr:1.1.1.1; exit 1"))))
                .isEmpty();
        assertThat(HccnAddress.of(7, network(directory.resolve("absent"), script("echo 'Cmd execute failed!'"))))
                .isEmpty();
        assertThat(HccnAddress.of(7, network(directory.resolve("absent"), Path.of("no-such-tool"))))
                .isEmpty();
    }

    private Path script(String body) throws Exception {
        Path script = Files.writeString(Files.createTempFile(directory, "tool", ""), "#!/bin/sh\n" + body + "\n");
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    private static HcclSettings.Network network(Path file, Path tool) {
        return new HcclSettings.Network(file, tool, 0, List.of(), Optional.empty());
    }
}
