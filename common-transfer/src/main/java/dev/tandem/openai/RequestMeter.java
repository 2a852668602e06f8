package dev.tandem.openai;

import java.time.Duration;
import java.util.concurrent.Callable;

import org.springframework.stereotype.Component;

import dev.tandem.transfer.TransferException;
import dev.tandem.transfer.metrics.TransferMetrics;

/** Counts requests from their first line to their outcome. */
@Component
public final class RequestMeter {

    private final TransferMetrics metrics;

    RequestMeter(TransferMetrics metrics) {
        this.metrics = metrics;
    }

    /** Does a request's work, and counts how it ended. */
    public <T> T count(Callable<T> work) throws Exception {
        long started = System.nanoTime();
        metrics.requestBegan();
        String outcome = "internal";
        try {
            T done = work.call();
            outcome = "done";
            return done;
        } catch (ApiException e) {
            outcome = e.code();
            throw e;
        } catch (TransferException e) {
            outcome = ApiException.of(e).code();
            throw e;
        } finally {
            metrics.requestEnded(outcome, Duration.ofNanos(System.nanoTime() - started));
        }
    }
}
