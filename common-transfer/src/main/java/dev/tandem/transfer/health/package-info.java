/**
 * The Actuator components that an operator reads: handshake, kvReady, pages, engine and loops.
 *
 * <p>Imports every room but config and admin.
 */
@NullMarked
package dev.tandem.transfer.health;

import org.jspecify.annotations.NullMarked;
