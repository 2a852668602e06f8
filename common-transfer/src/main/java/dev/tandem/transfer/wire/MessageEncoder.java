package dev.tandem.transfer.wire;

import java.util.List;

/** Messages to bytes: upstream's fields in upstream's order, then our additions that say something. */
final class MessageEncoder {

    byte[] encode(Request<?> request) {
        return switch (request) {
            case HandshakeRequest<?> handshake -> encode(handshake);
            case TransferRequest<?> transfer -> encode(transfer);
        };
    }

    private static byte[] encode(HandshakeRequest<?> request) {
        MapWriter map = switch (request) {
            case HandshakeRequest.Init init ->
                new MapWriter("HcclInitRequest")
                        .put("local_id", init.localId())
                        .put("client_meta_bytes", init.clientMeta());
            case HandshakeRequest.MemReg memReg ->
                new MapWriter("HcclMemRegRequest")
                        .put("local_id", memReg.localId())
                        .put("client_mem_handle_bytes", memReg.clientMemHandles());
            case HandshakeRequest.Ready ready -> new MapWriter("HcclReadyRequest").put("local_id", ready.localId());
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
                stamped(new MapWriter("AbortRequest").put("transfer_id", abort.transferId()), abort.stamp())
                        .put("reason", abort.reason())
                        .toBytes();
            case TransferRequest.Heartbeat heartbeat ->
                stamped(new MapWriter("Heartbeat"), heartbeat.stamp())
                        .put("state", heartbeat.state())
                        .toBytes();
            case TransferRequest.PullReady pull -> encode(pull);
        };
    }

    private static byte[] encode(TransferRequest.Alloc alloc) {
        MapWriter map = chunks(
                        new MapWriter("AllocRequest").put("keys", alloc.chunks().keys()), alloc.chunks())
                .add("req_id", alloc.reqId(), "")
                .add("is_last_batch", alloc.lastBatch(), false)
                .add("total_chunks", alloc.totalChunks(), 0L);
        return stamped(map, alloc.stamp())
                .add("transfer_id", alloc.transferId(), "")
                .add("commit", alloc.commit(), false)
                .toBytes();
    }

    private static byte[] encode(TransferRequest.Commit commit) {
        return stamped(new MapWriter("CommitRequest").put("transfer_id", commit.transferId()), commit.stamp())
                .put("keys", commit.keys())
                .put("write_tokens", commit.writeTokens())
                .put("crc32c", commit.crc32c())
                .put("is_last_batch", commit.lastBatch())
                .toBytes();
    }

    private static byte[] encode(TransferRequest.PullReady pull) {
        MapWriter map = new MapWriter("PullReadyNotif")
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
                new MapWriter("HcclInitResponse")
                        .put("server_meta_bytes", init.serverMeta())
                        .toBytes();
            case HandshakeReply.MemReg memReg ->
                new MapWriter("HcclMemRegResponse")
                        .put("server_mem_handle_bytes", memReg.serverMemHandles())
                        .toBytes();
            case HandshakeReply.Ready ready ->
                new MapWriter("HcclReadyResponse")
                        .put("ok", ready.ok())
                        .add("peer_token", ready.peerToken(), OpaqueBytes.EMPTY)
                        .add("receiver_incarnation", ready.receiverIncarnation(), "")
                        .add("lease_ms", ready.leaseMillis(), 0L)
                        .add("heartbeat_ms", ready.heartbeatMillis(), 0L)
                        .toBytes();
            case HandshakeReply.Error error ->
                failure(new MapWriter("HcclErrorResponse").put("ok", error.ok()), error.code(), error.message());
        };
    }

    private static byte[] encode(TransferReply reply) {
        return switch (reply) {
            case TransferReply.Alloc alloc ->
                failure(
                        new MapWriter("AscendAllocResponse")
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
                        new MapWriter("CommitResponse").put("ok", commit.ok()).put("bad_indexes", commit.badIndexes()),
                        commit.code(),
                        commit.message());
            case TransferReply.Abort abort ->
                failure(new MapWriter("AbortResponse").put("ok", abort.ok()), abort.code(), abort.message());
            case TransferReply.Heartbeat heartbeat ->
                failure(
                        new MapWriter("HeartbeatResponse")
                                .put("receiver_incarnation", heartbeat.receiverIncarnation())
                                .put("state", heartbeat.state())
                                .put("active_pulls", heartbeat.activePulls())
                                .put("ok", heartbeat.ok()),
                        heartbeat.code(),
                        heartbeat.message());
            case TransferReply.PullAck ack ->
                failure(
                        new MapWriter("PullReadyDoneAck")
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
    byte[] encodePlain(TransferReply.Alloc alloc) {
        return alloc.allocFailed()
                ? new byte[0]
                : new MapWriter("AllocResponse")
                        .put("already_sent_indexes", alloc.alreadySentIndexes())
                        .put("remote_indexes", alloc.remoteIndexes())
                        .toBytes();
    }

    byte[] encode(Notification notification) {
        return switch (notification) {
            case Notification.ProxyNotif notif ->
                new MapWriter("ProxyNotif")
                        .put("req_id", notif.reqId())
                        .add("ok", notif.ok(), true)
                        .add("reason", notif.reason(), "")
                        .add("rank", notif.rank(), -1L)
                        .toBytes();
            case Notification.PullDone done ->
                new MapWriter("PullDoneSignal")
                        .put("pull_id", done.pullId())
                        .add("ok", done.ok(), true)
                        .add("reason", done.reason(), "")
                        .toBytes();
        };
    }
}
