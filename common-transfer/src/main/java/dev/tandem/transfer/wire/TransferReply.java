package dev.tandem.transfer.wire;

import java.util.List;

/**
 * What a receiver answers on the alloc port. {@code code} is the name of an {@link dev.tandem.transfer.ErrorCode}, empty
 * when all is well or upstream answered; {@code message} is for people.
 */
public sealed interface TransferReply extends Reply {

    /**
     * Wire name {@code AscendAllocResponse}, or {@code AllocResponse} in the lmcache dialect. The two remote lists have
     * one entry per key that is not in {@code alreadySentIndexes}, in key order.
     *
     * @param allocFailed true: nothing of this request stays allocated
     * @param leaseMillis 0 from upstream
     * @param writeTokens one per remote index; empty from upstream
     */
    record Alloc(
            List<Long> alreadySentIndexes,
            List<Long> remoteIndexes,
            List<String> remoteBufferUuids,
            boolean allocFailed,
            long leaseMillis,
            List<Long> writeTokens,
            String code,
            String message)
            implements TransferReply {
        public Alloc {
            alreadySentIndexes = List.copyOf(alreadySentIndexes);
            remoteIndexes = List.copyOf(remoteIndexes);
            remoteBufferUuids = List.copyOf(remoteBufferUuids);
            writeTokens = List.copyOf(writeTokens);
        }

        /** Refuses the whole request. */
        public static Alloc failed(String code, String message) {
            return new Alloc(List.of(), List.of(), List.of(), true, 0, List.of(), code, message);
        }
    }

    /**
     * Wire name {@code CommitResponse}.
     *
     * @param badIndexes positions in the commit's keys whose bytes did not match their checksum
     */
    record Commit(boolean ok, List<Long> badIndexes, String code, String message) implements TransferReply {
        public Commit {
            badIndexes = List.copyOf(badIndexes);
        }
    }

    /** Wire name {@code AbortResponse}. */
    record Abort(boolean ok, String code, String message) implements TransferReply {}

    /**
     * Wire name {@code HeartbeatResponse}.
     *
     * @param state {@code ready} or {@code draining}
     * @param activePulls ids of the pulls whose pages the receiver still reads
     */
    record Heartbeat(
            String receiverIncarnation, String state, List<String> activePulls, boolean ok, String code, String message)
            implements TransferReply {
        public Heartbeat {
            activePulls = List.copyOf(activePulls);
        }
    }

    /** Wire name {@code PullReadyDoneAck}. */
    record PullAck(List<Long> alreadySentIndexes, boolean allocFailed, String code, String message)
            implements TransferReply {
        public PullAck {
            alreadySentIndexes = List.copyOf(alreadySentIndexes);
        }
    }
}
