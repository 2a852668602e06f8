/** The decode service: the front door, and the node that generates. Imports every room of common-transfer. */
@NullMarked
package dev.tandem.decode;

import org.jspecify.annotations.NullMarked;
