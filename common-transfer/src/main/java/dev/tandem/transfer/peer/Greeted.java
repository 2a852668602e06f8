package dev.tandem.transfer.peer;

import java.time.Duration;

import dev.tandem.transfer.Incarnation;
import dev.tandem.transfer.PeerId;
import dev.tandem.transfer.channel.ChannelKind;
import dev.tandem.transfer.wire.Stamp;

/**
 * What a handshake with a receiver agreed on.
 *
 * @param receiver whom
 * @param generation of the handshake, counted by the sender
 * @param incarnation the receiver's process start
 * @param channel the fabric
 * @param allocPort where the receiver said it takes allocations
 * @param stamp what every later request shows
 * @param lease how long a reservation lasts without a heartbeat
 * @param heartbeat how often the receiver wants to hear from the sender
 */
public record Greeted(
        PeerId receiver,
        long generation,
        Incarnation incarnation,
        ChannelKind channel,
        int allocPort,
        Stamp stamp,
        Duration lease,
        Duration heartbeat) {}
