/** Test support: nodes in this process, on real sockets, with a channel whose steps a test can hold or fail. */
@NullMarked
package dev.tandem.transfer.testing;

import org.jspecify.annotations.NullMarked;
