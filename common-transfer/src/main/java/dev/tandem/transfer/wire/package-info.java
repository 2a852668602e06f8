/**
 * The messages two services exchange, their bytes, and the sockets that carry them (docs/protocol.md).
 *
 * <p>Imports the words only, besides JeroMQ, msgpack and, for the KV-ready port, Spring Integration. Nothing from the
 * network is ever turned into code: metas and memory handles stay {@link dev.tandem.transfer.wire.OpaqueBytes}.
 */
@NullMarked
package dev.tandem.transfer.wire;

import org.jspecify.annotations.NullMarked;
