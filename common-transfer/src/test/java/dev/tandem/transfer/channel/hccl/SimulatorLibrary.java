package dev.tandem.transfer.channel.hccl;

import java.nio.file.Path;

final class SimulatorLibrary {
    static Path directory() {
        return Path.of("/tmp/hcclstub");
    }
}
