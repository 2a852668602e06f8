package dev.tandem.transfer.peer;

import java.util.List;

import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.RemoteRegion;

/**
 * Where one generation of one sender stands, at the receiver.
 *
 * <pre>
 *   ACCEPTING → CONNECTED → MEMORY_REGISTERED → READY
 *       └───────────┴───────────────┴─────────────┴────→ FAILED | SUPERSEDED
 * </pre>
 *
 * Each state offers only its own moves. Nothing leaves FAILED or SUPERSEDED.
 */
sealed interface GenerationState {

    /** The state's name in health and logs. */
    String label();

    /** Live states own what must be released when they end. */
    sealed interface Live extends GenerationState {
        default Ended failed(TransferException cause) {
            return new Failed(cause);
        }

        default Ended superseded(TransferException cause) {
            return new Superseded(cause);
        }
    }

    /** The generation is over, and why. */
    sealed interface Ended extends GenerationState {
        TransferException cause();
    }

    record Accepting() implements Live {
        @Override
        public String label() {
            return "ACCEPTING";
        }

        Connected connected(Connection connection) {
            return new Connected(connection);
        }
    }

    record Connected(Connection connection) implements Live {
        @Override
        public String label() {
            return "CONNECTED";
        }

        MemoryRegistered registered(List<RemoteRegion> regions) {
            return new MemoryRegistered(connection, regions);
        }
    }

    record MemoryRegistered(Connection connection, List<RemoteRegion> regions) implements Live {
        @Override
        public String label() {
            return "MEMORY_REGISTERED";
        }

        Ready ready() {
            return new Ready(connection, regions);
        }
    }

    record Ready(Connection connection, List<RemoteRegion> regions) implements Live {
        @Override
        public String label() {
            return "READY";
        }
    }

    record Failed(TransferException cause) implements Ended {
        @Override
        public String label() {
            return "FAILED";
        }
    }

    record Superseded(TransferException cause) implements Ended {
        @Override
        public String label() {
            return "SUPERSEDED";
        }
    }
}
