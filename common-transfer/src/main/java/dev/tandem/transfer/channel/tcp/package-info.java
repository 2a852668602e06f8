/**
 * The TCP fabric: one data port for each node, opened once; persistent connections, opened once for each handshake with
 * a one-time tag; batches go straight from the registered buffer into the destination page.
 *
 * <p>Imports the channel port and the words.
 *
 * <p>Who does what: {@link dev.tandem.transfer.channel.tcp.DataPort} takes in strangers and hands those that show an
 * offer's tag to it, {@link dev.tandem.transfer.channel.tcp.Dialer} is their other half. A
 * {@link dev.tandem.transfer.channel.tcp.TcpConnection} drives some of its sockets and serves the others. A socket on
 * which nothing is under way rests with {@link dev.tandem.transfer.channel.tcp.IdleSockets}, one thread for all; a
 * batch is moved in blocking mode, by its caller on the driving side and by a worker on the serving side.
 *
 * <p>On the wire, all numbers big-endian:
 *
 * <pre>
 *   hello   magic 4, version 1, role 1, unused 2, tag 32           once for each socket, answered with one byte
 *   batch   magic 4, kind 1, unused 3, sequence 8, entries 4, unused 4, bytes 8
 *           then for each entry: region 4, unused 4, offset 8, bytes 8, token 8
 *           then, of a WRITE, the payloads
 *   answer  magic 4, status 4, sequence 8, where 4, what 4         where and what: first refused entry and how many,
 *                                                                  or the offending entry and the violation
 *           then, of a READ that is not INVALID, one bit for each entry, set if refused, in whole bytes,
 *           then the payloads of the others
 * </pre>
 */
@NullMarked
package dev.tandem.transfer.channel.tcp;

import org.jspecify.annotations.NullMarked;
