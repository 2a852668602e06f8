/**
 * The HCCL fabric of Ascend devices: one-sided puts and gets between registered memory, through the native library's C
 * interface. The only room that sees JNA.
 *
 * <p>Imports the words and the channel port. Native calls that need a device run on platform threads that have chosen
 * it: control calls on a thread of their own each, data calls on the one lane of their device, host copies on the
 * allocator's thread.
 */
@NullMarked
package dev.tandem.transfer.channel.hccl;

import org.jspecify.annotations.NullMarked;
