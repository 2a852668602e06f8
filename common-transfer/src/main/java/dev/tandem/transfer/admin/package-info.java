/**
 * The admin REST endpoints both services share, on the management port, behind a token.
 *
 * <p>Imports every room but config.
 */
@NullMarked
package dev.tandem.transfer.admin;

import org.jspecify.annotations.NullMarked;
