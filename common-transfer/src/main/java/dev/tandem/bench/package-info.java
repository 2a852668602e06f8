/**
 * What the launcher's commands run: the demo.
 *
 * <p>Imports nothing of ours: it sees the services from outside, as their users do.
 */
@NullMarked
package dev.tandem.bench;

import org.jspecify.annotations.NullMarked;
