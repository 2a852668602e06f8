/**
 * Knowing and greeting other processes: both halves of the handshake, the sessions they end in, and the registry of
 * peers.
 *
 * <p>Imports wire, channel, metrics and the words. The only Spring type here is the stereotype on
 * {@link dev.tandem.transfer.peer.PeerInitService}.
 */
@NullMarked
package dev.tandem.transfer.peer;

import org.jspecify.annotations.NullMarked;
