package dev.tandem.transfer.channel.tcp;

import java.util.concurrent.atomic.LongAdder;

/** Bytes that a channel's connections have moved, headers included. */
record Traffic(LongAdder sent, LongAdder received) {

    Traffic() {
        this(new LongAdder(), new LongAdder());
    }
}
