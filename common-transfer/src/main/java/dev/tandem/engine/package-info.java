/**
 * The port to an engine (tokenize, prefill into pages, decode from pages) and the reference engine behind it.
 *
 * <p>The port is {@link dev.tandem.engine.Engine}. Of the reference engine, {@link dev.tandem.engine.ReferenceModel} is
 * the arithmetic, {@link dev.tandem.engine.KvSequence} where keys and values are, {@link dev.tandem.engine.Workers} the
 * threads; {@link dev.tandem.engine.ForwardPass} brings them together.
 *
 * <p>Imports the words of dev.tandem.transfer only.
 */
@NullMarked
package dev.tandem.engine;

import org.jspecify.annotations.NullMarked;
