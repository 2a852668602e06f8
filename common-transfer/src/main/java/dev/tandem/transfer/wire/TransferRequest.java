package dev.tandem.transfer.wire;

import java.util.List;

/** What a sender says on the alloc port (docs/protocol.md, "Allocation, commit, abort, heartbeat" and "Pull"). */
public sealed interface TransferRequest<R extends Reply> extends Request<R> {

    Stamp stamp();

    /**
     * The chunks a request speaks of.
     *
     * @param keys one per chunk, in prompt order
     * @param fmt number of a {@link dev.tandem.transfer.KvFormat}
     * @param shape of the first chunk
     * @param dtype wire name of a {@link dev.tandem.transfer.DataType}
     * @param lastChunkTokens tokens of the last chunk, all others being full
     */
    record Chunks(List<String> keys, long fmt, List<Long> shape, String dtype, long lastChunkTokens) {
        public Chunks {
            keys = List.copyOf(keys);
            shape = List.copyOf(shape);
        }
    }

    /**
     * Wire name {@code AllocRequest}.
     *
     * @param reqId correlates only, may repeat over time; empty from upstream
     * @param lastBatch wire name {@code is_last_batch}
     * @param totalChunks chunks of the whole transfer, reserved at its first request; 0 from upstream
     * @param transferId empty from upstream
     * @param commit true if a {@link Commit} will follow; otherwise the chunks never become visible
     */
    record Alloc(
            Chunks chunks,
            String reqId,
            boolean lastBatch,
            long totalChunks,
            Stamp stamp,
            String transferId,
            boolean commit)
            implements TransferRequest<TransferReply.Alloc> {
        @Override
        public Class<TransferReply.Alloc> replyType() {
            return TransferReply.Alloc.class;
        }
    }

    /**
     * Wire name {@code CommitRequest}: these pages are completely written.
     *
     * @param writeTokens one per key, as allocated
     * @param crc32c one per key; empty where the sender cannot address its memory
     */
    record Commit(
            String transferId,
            Stamp stamp,
            List<String> keys,
            List<Long> writeTokens,
            List<Long> crc32c,
            boolean lastBatch)
            implements TransferRequest<TransferReply.Commit> {
        public Commit {
            keys = List.copyOf(keys);
            writeTokens = List.copyOf(writeTokens);
            crc32c = List.copyOf(crc32c);
        }

        @Override
        public Class<TransferReply.Commit> replyType() {
            return TransferReply.Commit.class;
        }
    }

    /** Wire name {@code AbortRequest}: no write of this transfer is or will be under way. */
    record Abort(String transferId, Stamp stamp, String reason) implements TransferRequest<TransferReply.Abort> {
        @Override
        public Class<TransferReply.Abort> replyType() {
            return TransferReply.Abort.class;
        }
    }

    /**
     * Wire name {@code Heartbeat}.
     *
     * @param state {@code ready} or {@code draining}
     */
    record Heartbeat(Stamp stamp, String state) implements TransferRequest<TransferReply.Heartbeat> {
        @Override
        public Class<TransferReply.Heartbeat> replyType() {
            return TransferReply.Heartbeat.class;
        }
    }

    /**
     * Wire name {@code PullReadyNotif}: the sender's pages may be read.
     *
     * @param senderDoneUrl {@code host:port} that wants the {@link Notification.PullDone}
     * @param leaseMillis how long the pages stay pinned without a heartbeat; 0 from upstream
     */
    record PullReady(
            String pullId,
            Chunks chunks,
            List<String> senderBufferUuids,
            List<Long> senderMemIndexes,
            String senderDoneUrl,
            String reqId,
            String transferId,
            Stamp stamp,
            boolean lastBatch,
            long totalChunks,
            List<Long> crc32c,
            long leaseMillis)
            implements TransferRequest<TransferReply.PullAck> {
        public PullReady {
            senderBufferUuids = List.copyOf(senderBufferUuids);
            senderMemIndexes = List.copyOf(senderMemIndexes);
            crc32c = List.copyOf(crc32c);
        }

        @Override
        public Class<TransferReply.PullAck> replyType() {
            return TransferReply.PullAck.class;
        }
    }
}
