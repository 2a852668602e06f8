/**
 * The port to an engine (tokenize, prefill into pages, decode from pages) and the reference engine behind it.
 *
 * <p>Imports the words of dev.tandem.transfer only.
 */
@NullMarked
package dev.tandem.engine;

import org.jspecify.annotations.NullMarked;
