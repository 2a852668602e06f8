/**
 * Moving bytes between two processes: the {@link dev.tandem.transfer.channel.TransferChannel} port. Each fabric lives
 * in a room of its own below.
 *
 * <p>Imports the words only. It does not know memory's pages: it takes regions and offsets.
 */
@NullMarked
package dev.tandem.transfer.channel;

import org.jspecify.annotations.NullMarked;
