package dev.tandem.transfer.channel.hccl;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;

/** Waiting for what another thread does. */
final class Outcomes {

    private Outcomes() {}

    /**
     * @param what for the message
     * @throws ChannelException with the reason of the failure; TIMED_OUT when nothing has come by the deadline; CLOSED
     *     when the thread is interrupted, and it stays so
     */
    static <T> T await(String what, CompletableFuture<T> outcome, Deadline deadline) {
        try {
            return outcome.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ChannelException(Reason.TIMED_OUT, what + ": does not end", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChannelException(Reason.CLOSED, what + ": interrupted", e);
        } catch (ExecutionException e) {
            throw failure(what, e);
        }
    }

    private static String about(String what, String message) {
        return message.startsWith(what) ? message : what + ": " + message;
    }

    private static ChannelException failure(String what, ExecutionException failed) {
        return failed.getCause() instanceof ChannelException known
                ? new ChannelException(known.reason(), about(what, known.message()), known)
                : new ChannelException(Reason.BROKEN, "%s: %s".formatted(what, failed.getCause()), failed);
    }
}
