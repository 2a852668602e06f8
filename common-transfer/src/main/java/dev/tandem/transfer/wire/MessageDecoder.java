package dev.tandem.transfer.wire;

/** Bytes to messages. A field that only we add has a default, so that upstream's messages decode too. */
final class MessageDecoder {

    Message decode(byte[] payload) {
        MapReader map = MapReader.of(payload);
        return switch (MessageType.named(map.text("type"))) {
            case INIT_REQUEST ->
                new HandshakeRequest.Init(
                        map.text("local_id"), map.bytes("client_meta_bytes"), generation(map), incarnation(map));
            case MEM_REG_REQUEST ->
                new HandshakeRequest.MemReg(
                        map.text("local_id"), map.bytes("client_mem_handle_bytes"), generation(map), incarnation(map));
            case READY_REQUEST -> new HandshakeRequest.Ready(map.text("local_id"), generation(map), incarnation(map));
            case INIT_REPLY -> new HandshakeReply.Init(map.bytes("server_meta_bytes"));
            case MEM_REG_REPLY -> new HandshakeReply.MemReg(map.bytes("server_mem_handle_bytes"));
            case READY_REPLY -> ready(map);
            case ERROR_REPLY -> new HandshakeReply.Error(map.flag("ok", false), code(map), message(map));
            case ALLOC_REQUEST -> alloc(map);
            case COMMIT_REQUEST -> commit(map);
            case ABORT_REQUEST ->
                new TransferRequest.Abort(map.text("transfer_id"), stamp(map), map.text("reason", ""));
            case HEARTBEAT -> new TransferRequest.Heartbeat(stamp(map), map.text("state"));
            case PULL_READY -> pullReady(map);
            case ALLOC_REPLY -> allocReply(map);
            case COMMIT_REPLY ->
                new TransferReply.Commit(map.flag("ok"), map.integersOrEmpty("bad_indexes"), code(map), message(map));
            case ABORT_REPLY -> new TransferReply.Abort(map.flag("ok"), code(map), message(map));
            case HEARTBEAT_REPLY -> heartbeatReply(map);
            case PULL_ACK ->
                new TransferReply.PullAck(
                        map.integers("already_sent_indexes"), map.flag("alloc_failed", false), code(map), message(map));
            case PROXY_NOTIF ->
                new Notification.ProxyNotif(
                        map.text("req_id"), map.flag("ok", true), map.text("reason", ""), map.integer("rank", -1));
            case PULL_DONE ->
                new Notification.PullDone(map.text("pull_id"), map.flag("ok", true), map.text("reason", ""));
        };
    }

    private static HandshakeReply.Ready ready(MapReader map) {
        return new HandshakeReply.Ready(
                map.flag("ok"),
                map.bytesOrEmpty("peer_token"),
                map.text("receiver_incarnation", ""),
                map.integer("lease_ms", 0),
                map.integer("heartbeat_ms", 0));
    }

    private static TransferRequest.Alloc alloc(MapReader map) {
        return new TransferRequest.Alloc(
                chunks(map),
                map.text("req_id", ""),
                map.flag("is_last_batch", false),
                map.integer("total_chunks", 0),
                stamp(map),
                map.text("transfer_id", ""),
                map.flag("commit", false));
    }

    private static TransferRequest.Chunks chunks(MapReader map) {
        return new TransferRequest.Chunks(
                map.texts("keys"),
                map.integer("fmt"),
                map.integers("shape"),
                map.text("dtype"),
                map.integer("last_chunk_toks"));
    }

    private static TransferRequest.Commit commit(MapReader map) {
        return new TransferRequest.Commit(
                map.text("transfer_id"),
                stamp(map),
                map.texts("keys"),
                map.integers("write_tokens"),
                map.integersOrEmpty("crc32c"),
                map.flag("is_last_batch", false));
    }

    private static TransferRequest.PullReady pullReady(MapReader map) {
        map.text("sender_id");
        return new TransferRequest.PullReady(
                map.text("pull_id"),
                chunks(map),
                map.texts("sender_buffer_uuids"),
                map.integers("sender_mem_indexes"),
                map.text("sender_done_url"),
                map.text("req_id", ""),
                map.text("transfer_id", ""),
                stamp(map),
                map.flag("is_last_batch", false),
                map.integer("total_chunks", 0),
                map.integersOrEmpty("crc32c"),
                map.integer("lease_ms", 0));
    }

    private static TransferReply.Alloc allocReply(MapReader map) {
        return new TransferReply.Alloc(
                map.integers("already_sent_indexes"),
                map.integers("remote_indexes"),
                map.texts("remote_buffer_uuids"),
                map.flag("alloc_failed", false),
                map.integer("lease_ms", 0),
                map.integersOrEmpty("write_tokens"),
                code(map),
                message(map));
    }

    private static TransferReply.Heartbeat heartbeatReply(MapReader map) {
        return new TransferReply.Heartbeat(
                map.text("receiver_incarnation", ""),
                map.text("state", ""),
                map.textsOrEmpty("active_pulls"),
                map.flag("ok"),
                code(map),
                message(map));
    }

    private static Stamp stamp(MapReader map) {
        return new Stamp(
                map.text("sender_id", ""),
                incarnation(map),
                map.bytesOrEmpty("peer_token"),
                map.text("receiver_incarnation", ""));
    }

    private static long generation(MapReader map) {
        return map.integer("generation", 0);
    }

    private static String incarnation(MapReader map) {
        return map.text("incarnation", "");
    }

    private static String code(MapReader map) {
        return map.text("code", "");
    }

    private static String message(MapReader map) {
        return map.text("message", "");
    }
}
