/**
 * What the {@code tandem} script runs: programs that start a pair of services as child processes, ask them something and
 * print a short true account. They know the services as any client does: by their arguments, over HTTP, by their metrics.
 *
 * <p>Imports the words only. Nobody imports this room.
 */
@NullMarked
package dev.tandem.bench;

import org.jspecify.annotations.NullMarked;
