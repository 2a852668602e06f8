package dev.tandem.transfer.wire;

import java.util.List;

/** Messages to bytes: upstream's fields in upstream's order, then our additions that say something. */
final class MessageEncoder {

    private static final byte[] NOTHING = new byte[0];

    byte[] encode(Request<?> request) {
        return switch (request) {
            case HandshakeRequest<?> handshake -> encode(handshake);
            case TransferRequest<?> transfer -> encode(transfer);
        };
    }

    private static byte[] encode(HandshakeRequest<?> request) {
        MapWriter map = switch (request) {
            case HandshakeRequest.Init init ->
                MapWriter.of(init).put("local_id", init.localId()).put("client_meta_bytes", init.clientMeta());
            case HandshakeRequest.MemReg memReg ->
                MapWriter.of(memReg)
                        .put("local_id", memReg.localId())
                        .put("client_mem_handle_bytes", memReg.clientMemHandles());
            case HandshakeRequest.Ready ready -> MapWriter.of(ready).put("local_id", ready.localId());
        };
        return map.add("generation", request.generation(), 0L)
                .add("incarnation", request.incarnation(), "")
                .toBytes();
    }

    private static byte[] encode(TransferRequest<?> request) {
        return switch (request) {
            case TransferRequest.Alloc alloc -> encode(alloc);
            case TransferRequest.Commit commit -> encode(commit);
            case TransferRequest.Abort abort ->
                stamped(MapWriter.of(abort).put("transfer_id", abort.transferId()), abort.stamp())
                        .put("reason", abort.reason())
                        .toBytes();
            case TransferRequest.Heartbeat heartbeat ->
                stamped(MapWriter.of(heartbeat), heartbeat.stamp())
                        .put("state", heartbeat.state())
                        .toBytes();
            case TransferRequest.PullReady pull -> encode(pull);
        };
    }

    private static byte[] encode(TransferRequest.Alloc alloc) {
        MapWriter map = MapWriter.of(alloc).put("keys", alloc.chunks().keys());
        return chunks(map, alloc.chunks())
                .add("req_id", alloc.reqId(), "")
                .add("is_last_batch", alloc.lastBatch(), false)
                .add("total_chunks", alloc.totalChunks(), 0L)
                .add("sender_id", alloc.stamp().senderId(), "")
                .add("incarnation", alloc.stamp().incarnation(), "")
                .add("transfer_id", alloc.transferId(), "")
                .add("peer_token", alloc.stamp().peerToken(), OpaqueBytes.EMPTY)
                .add("receiver_incarnation", alloc.stamp().receiverIncarnation(), "")
                .add("commit", alloc.commit(), false)
                .toBytes();
    }

    private static byte[] encode(TransferRequest.Commit commit) {
        return stamped(MapWriter.of(commit).put("transfer_id", commit.transferId()), commit.stamp())
                .put("keys", commit.keys())
                .put("write_tokens", commit.writeTokens())
                .put("crc32c", commit.crc32c())
                .put("is_last_batch", commit.lastBatch())
                .toBytes();
    }

    private static byte[] encode(TransferRequest.PullReady pull) {
        MapWriter map = MapWriter.of(pull)
                .put("pull_id", pull.pullId())
                .put("keys", pull.chunks().keys())
                .put("sender_buffer_uuids", pull.senderBufferUuids())
                .put("sender_mem_indexes", pull.senderMemIndexes())
                .put("sender_id", pull.stamp().senderId())
                .put("sender_done_url", pull.senderDoneUrl());
        return chunks(map, pull.chunks())
                .add("req_id", pull.reqId(), "")
                .add("transfer_id", pull.transferId(), "")
                .add("incarnation", pull.stamp().incarnation(), "")
                .add("peer_token", pull.stamp().peerToken(), OpaqueBytes.EMPTY)
                .add("receiver_incarnation", pull.stamp().receiverIncarnation(), "")
                .add("is_last_batch", pull.lastBatch(), false)
                .add("total_chunks", pull.totalChunks(), 0L)
                .add("crc32c", pull.crc32c(), List.of())
                .add("lease_ms", pull.leaseMillis(), 0L)
                .toBytes();
    }

    private static MapWriter chunks(MapWriter map, TransferRequest.Chunks chunks) {
        return map.put("fmt", chunks.fmt())
                .put("shape", chunks.shape())
                .put("dtype", chunks.dtype())
                .put("last_chunk_toks", chunks.lastChunkTokens());
    }

    private static MapWriter stamped(MapWriter map, Stamp stamp) {
        return map.add("sender_id", stamp.senderId(), "")
                .add("incarnation", stamp.incarnation(), "")
                .add("peer_token", stamp.peerToken(), OpaqueBytes.EMPTY)
                .add("receiver_incarnation", stamp.receiverIncarnation(), "");
    }

    byte[] encode(Reply reply) {
        return switch (reply) {
            case HandshakeReply handshake -> encode(handshake);
            case TransferReply transfer -> encode(transfer);
        };
    }

    private static byte[] encode(HandshakeReply reply) {
        return switch (reply) {
            case HandshakeReply.Init init ->
                MapWriter.of(init).put("server_meta_bytes", init.serverMeta()).toBytes();
            case HandshakeReply.MemReg memReg ->
                MapWriter.of(memReg)
                        .put("server_mem_handle_bytes", memReg.serverMemHandles())
                        .toBytes();
            case HandshakeReply.Ready ready ->
                MapWriter.of(ready)
                        .put("ok", ready.ok())
                        .add("peer_token", ready.peerToken(), OpaqueBytes.EMPTY)
                        .add("receiver_incarnation", ready.receiverIncarnation(), "")
                        .add("lease_ms", ready.leaseMillis(), 0L)
                        .add("heartbeat_ms", ready.heartbeatMillis(), 0L)
                        .toBytes();
            case HandshakeReply.Error error ->
                failure(MapWriter.of(error).put("ok", error.ok()), error.code(), error.message());
        };
    }

    private static byte[] encode(TransferReply reply) {
        return switch (reply) {
            case TransferReply.Alloc alloc ->
                failure(
                        MapWriter.of(alloc)
                                .put("already_sent_indexes", alloc.alreadySentIndexes())
                                .put("remote_indexes", alloc.remoteIndexes())
                                .put("remote_buffer_uuids", alloc.remoteBufferUuids())
                                .put("alloc_failed", alloc.allocFailed())
                                .add("lease_ms", alloc.leaseMillis(), 0L)
                                .add("write_tokens", alloc.writeTokens(), List.of()),
                        alloc.code(),
                        alloc.message());
            case TransferReply.Commit commit ->
                failure(
                        MapWriter.of(commit).put("ok", commit.ok()).put("bad_indexes", commit.badIndexes()),
                        commit.code(),
                        commit.message());
            case TransferReply.Abort abort ->
                failure(MapWriter.of(abort).put("ok", abort.ok()), abort.code(), abort.message());
            case TransferReply.Heartbeat heartbeat ->
                failure(
                        MapWriter.of(heartbeat)
                                .put("receiver_incarnation", heartbeat.receiverIncarnation())
                                .put("state", heartbeat.state())
                                .put("active_pulls", heartbeat.activePulls())
                                .put("ok", heartbeat.ok()),
                        heartbeat.code(),
                        heartbeat.message());
            case TransferReply.PullAck ack ->
                failure(
                        MapWriter.of(ack)
                                .put("already_sent_indexes", ack.alreadySentIndexes())
                                .put("alloc_failed", ack.allocFailed()),
                        ack.code(),
                        ack.message());
        };
    }

    private static byte[] failure(MapWriter map, String code, String message) {
        return map.add("code", code, "").add("message", message, "").toBytes();
    }

    /** A plain LMCache sender knows two lists, and an empty payload as the refusal. */
    byte[] encodePlain(TransferReply reply) {
        return switch (reply) {
            case TransferReply.Alloc alloc when alloc.allocFailed() -> NOTHING;
            case TransferReply.Alloc alloc ->
                new MapWriter(MessageType.PLAIN_ALLOC_REPLY)
                        .put("already_sent_indexes", alloc.alreadySentIndexes())
                        .put("remote_indexes", alloc.remoteIndexes())
                        .toBytes();
            case TransferReply.PullAck ack when ack.allocFailed() -> NOTHING;
            case TransferReply other -> encode(other);
        };
    }

    byte[] encode(Notification notification) {
        return switch (notification) {
            case Notification.ProxyNotif notif ->
                MapWriter.of(notif)
                        .put("req_id", notif.reqId())
                        .add("ok", notif.ok(), true)
                        .add("reason", notif.reason(), "")
                        .add("rank", notif.rank(), -1L)
                        .toBytes();
            case Notification.PullDone done ->
                MapWriter.of(done)
                        .put("pull_id", done.pullId())
                        .add("ok", done.ok(), true)
                        .add("reason", done.reason(), "")
                        .toBytes();
        };
    }
}
