package dev.tandem.engine;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@Timeout(20)
class WorkersTest {

    private static final ModelConfig CONFIG = new ModelConfig(1, 4, 1, 1, 2, 4, 8, 1e-5f, 10_000);

    private final Workers workers = new Workers(1, CONFIG);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger ran = new AtomicInteger();

    @AfterEach
    void close() {
        gate.countDown();
        workers.close();
    }

    @Test
    void everyPartIsRunOnAnEngineThread() throws Exception {
        workers.run(5, (part, _) -> {
            ran.addAndGet(1 << part);
            assertThat(Thread.currentThread().getName()).startsWith("engine-");
            assertThat(Thread.currentThread().isDaemon()).isTrue();
        });

        assertThat(ran).hasValue(0b11111);
    }

    @Test
    void failureOfAPartReachesTheCaller() {
        assertThatIllegalStateException()
                .isThrownBy(() -> workers.run(2, (part, _) -> {
                    if (part == 0) {
                        throw new ArithmeticException("odd");
                    }
                }))
                .withMessageContaining("odd")
                .withCauseInstanceOf(ArithmeticException.class);
    }

    @Test
    void interruptedCallerWaitsForWhatHasBegunAndDropsTheRest() throws Exception {
        // Given
        FutureTask<Boolean> run = startGated(2);
        Thread caller = Thread.ofVirtual().start(run);
        assertThat(begun.await(10, SECONDS)).isTrue();

        // When
        caller.interrupt();
        await().until(() -> !caller.isInterrupted());
        assertThat(run.isDone()).isFalse();
        gate.countDown();

        // Then
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> run.get(10, SECONDS))
                .withCauseInstanceOf(InterruptedException.class);
        workers.run(1, (_, _) -> {});
        assertThat(ran).hasValue(1);
    }

    @Test
    void closeEndsWhatWaitsAndLetsWhatRunsFinish() throws Exception {
        // Given
        FutureTask<Boolean> running = startGated(1);
        Thread.ofVirtual().start(running);
        assertThat(begun.await(10, SECONDS)).isTrue();
        var queued = new FutureTask<>(() -> {
            workers.run(1, (_, _) -> ran.incrementAndGet());
            return true;
        });
        Thread waiting = Thread.ofVirtual().start(queued);
        await().until(() -> waiting.getState() == Thread.State.WAITING);

        // When
        Thread closing = Thread.ofPlatform().start(workers::close);

        // Then
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> queued.get(10, SECONDS))
                .withMessageContaining("the engine is closed");
        assertThat(running.isDone()).isFalse();
        gate.countDown();
        assertThat(running.get(10, SECONDS)).isTrue();
        assertThat(closing.join(Duration.ofSeconds(10))).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> workers.run(1, (_, _) -> {}))
                .withMessageContaining("the engine is closed");
        assertThat(ran).hasValue(1);
    }

    /** A step whose parts count, and of which each waits for the gate. */
    private FutureTask<Boolean> startGated(int parts) {
        return new FutureTask<>((Callable<Boolean>) () -> {
            workers.run(parts, (_, _) -> {
                ran.incrementAndGet();
                begun.countDown();
                waitForGate();
            });
            return true;
        });
    }

    private void waitForGate() {
        boolean open = false;
        while (!open) {
            try {
                open = gate.await(10, SECONDS);
            } catch (InterruptedException e) {
                // close() interrupts engine threads, which compute and take no notice
            }
        }
    }
}
