/**
 * The words every other room speaks: identities, layouts and the few exceptions.
 *
 * <p>Imports nothing of ours.
 */
@NullMarked
package dev.tandem.transfer;

import org.jspecify.annotations.NullMarked;
