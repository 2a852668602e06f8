/**
 * Who owns which page, and which chunks are visible: registered buffers, the page pool, allocations, the chunk store
 * and leases.
 *
 * <p>Imports the words only. It does not know how bytes get into a page.
 */
@NullMarked
package dev.tandem.transfer.memory;

import org.jspecify.annotations.NullMarked;
