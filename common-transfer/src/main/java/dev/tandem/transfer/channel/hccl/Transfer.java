package dev.tandem.transfer.channel.hccl;

import java.util.concurrent.CompletableFuture;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;

/**
 * One batch on its way through the lane.
 *
 * @param outcome completed by the lane, on its thread
 */
record Transfer(
        Kind kind,
        Lifeline lifeline,
        DescriptorArray descriptors,
        Deadline deadline,
        CompletableFuture<Boolean> outcome) {

    enum Kind {
        PUT,
        GET,
        /** A get, after asking the library for failures that it has not told yet. */
        PROBE
    }

    void issue() {
        Communicator communicator = lifeline.communicator();
        switch (kind) {
            case PUT -> communicator.put(descriptors);
            case GET -> communicator.get(descriptors);
            case PROBE -> {
                communicator.requireHealthy();
                communicator.get(descriptors);
            }
        }
    }

    void succeed() {
        lifeline.leave();
        outcome.complete(true);
    }

    void fail(ChannelException cause) {
        lifeline.leave();
        outcome.completeExceptionally(cause);
    }
}
