/**
 * The TCP fabric: persistent connections, opened once for each handshake with a one-time tag; batches go straight from
 * the registered buffer into the destination page.
 *
 * <p>Imports the channel port and the words.
 *
 * <pre>
 *   hello   magic 4, version 1, role 1, unused 2, tag 32           once for each socket, answered with one byte
 *   batch   magic 4, kind 1, unused 3, sequence 8, entries 4, unused 4, bytes 8
 *           then for each entry: region 4, unused 4, offset 8, bytes 8, token 8
 *           then, of a WRITE, the payloads
 *   answer  magic 4, status 4, sequence 8, first refused 4, refused 4
 *           then, of a READ that was admitted, the payloads
 * </pre>
 */
@NullMarked
package dev.tandem.transfer.channel.tcp;

import org.jspecify.annotations.NullMarked;
