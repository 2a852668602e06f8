/**
 * Moving chunks: the sender's and the receiver's side of a transfer, and the arrivals that requests wait for.
 *
 * <p>Imports peer, wire, channel, memory, metrics and the words. One way: values and their ownership are handed over,
 * answers are return values.
 */
@NullMarked
package dev.tandem.transfer.handover;

import org.jspecify.annotations.NullMarked;
