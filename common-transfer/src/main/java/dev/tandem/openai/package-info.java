/**
 * The bodies of the OpenAI surface that both services speak: requests, answers, events and errors.
 *
 * <p>Imports the engine port (for sampling) and the words.
 */
@NullMarked
package dev.tandem.openai;

import org.jspecify.annotations.NullMarked;
