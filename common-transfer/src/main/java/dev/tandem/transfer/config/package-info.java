/**
 * Properties and wiring: one record per group of properties, and the beans both services share.
 *
 * <p>Imports every other room.
 */
@NullMarked
package dev.tandem.transfer.config;

import org.jspecify.annotations.NullMarked;
