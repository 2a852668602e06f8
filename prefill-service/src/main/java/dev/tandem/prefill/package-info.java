/** The prefill service: computes prompts and hands their KV to decode nodes. Imports every room of common-transfer. */
@NullMarked
package dev.tandem.prefill;

import org.jspecify.annotations.NullMarked;
