/**
 * Who owns which page, and which chunks are visible: registered buffers, their pages, the chunk store, and the two ways
 * to hold what is in it, an {@link dev.tandem.transfer.memory.Allocation} to write and a
 * {@link dev.tandem.transfer.memory.Lease} to read. Also memory of the host to make buffers of.
 *
 * <p>Imports the words only. It does not know how bytes get into a page.
 */
@NullMarked
package dev.tandem.transfer.memory;

import org.jspecify.annotations.NullMarked;
