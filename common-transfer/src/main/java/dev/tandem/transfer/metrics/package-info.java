/**
 * Every meter's name, unit and tags, in one class.
 *
 * <p>Imports the words only, besides Micrometer.
 */
@NullMarked
package dev.tandem.transfer.metrics;

import org.jspecify.annotations.NullMarked;
