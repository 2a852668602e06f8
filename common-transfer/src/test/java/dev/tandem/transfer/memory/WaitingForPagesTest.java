package dev.tandem.transfer.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.TransferException;

import static java.lang.Thread.State.TERMINATED;
import static java.lang.Thread.State.TIMED_WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WaitingForPagesTest {

    /** Much longer than any test takes: a waiter that nobody woke must not be saved by its deadline. */
    private static final Duration FOR_EVER = Duration.ofHours(1);

    private static final Duration SOON = Duration.ofSeconds(10);

    private final Pool pool = new Pool(4);
    private final List<Waiting> started = new ArrayList<>();

    @AfterEach
    void endEveryWaiter() throws Exception {
        for (Waiting waiting : started) {
            waiting.thread.interrupt();
            assertThat(waiting.thread.join(SOON)).isTrue();
        }
    }

    @Test
    void closingAnAllocationWakesTheWaiter() throws Exception {
        Allocation holder = pool.allocate("a", "b", "c");
        Waiting waiting = waitFor("x", "y");

        holder.close();

        waiting.allocation().close();
    }

    @Test
    void unpinningAChunkWakesTheWaiter() throws Exception {
        pool.fill("a", "b", "c");
        Lease lease = pool.lease("a", "b", "c");
        Waiting waiting = waitFor("x", "y", "z");

        lease.close();

        waiting.allocation().close();
        assertThat(pool.store.present(Pool.keys("a", "b"))).isEqualTo(1);
    }

    @Test
    void endOfAGuardedWriteWakesTheWaiter() throws Exception {
        // Given
        Allocation holder = pool.allocate("a", "b", "c", "d");
        Page page = holder.page(0);
        pool.beginWrite(holder, 0);
        holder.close();
        Waiting waiting = waitFor("w", "x", "y", "z");

        // When
        pool.endWrite(page);

        // Then
        waiting.allocation().close();
    }

    @Test
    void endOfAReadWakesTheWaiter() throws Exception {
        // Given
        pool.fill("a");
        Page page = pool.pages.getFirst();
        pool.beginRead(page);
        Waiting waiting = waitFor("w", "x", "y", "z");

        // When
        pool.endRead(page);

        // Then
        waiting.allocation().close();
    }

    @Test
    void duplicateCommitWakesTheWaiter() throws Exception {
        try (Allocation one = pool.allocate("a", "b");
                Allocation other = pool.allocate("a", "c")) {
            one.commit(0);
            Waiting waiting = waitFor("x");

            other.commit(0);

            waiting.allocation().close();
        }
    }

    @Test
    void commitOfAChunkThatIsWaitedForWakesTheWaiter() throws Exception {
        try (Allocation holder = pool.allocate("a", "b", "c", "d")) {
            Waiting waiting = waitFor("a");

            holder.commit(0);

            try (Allocation allocation = waiting.allocation()) {
                assertThat(allocation.present(0)).isTrue();
            }
        }
    }

    @Test
    void waiterHoldsNothing() throws Exception {
        // Given
        pool.fill("a");
        Allocation holder = pool.allocate("b", "c");

        // When
        Waiting waiting = waitFor("a", "x", "y");

        // Then
        assertThat(pool.store.counts()).isEqualTo(new PageCounts(4, 1, 2, 1, 0, 0));
        holder.close();
        waiting.allocation().close();
    }

    @Test
    void smallRequestDoesNotOvertakeALargeOne() throws Exception {
        // Given
        Allocation holder = pool.allocate("a", "b", "c");
        Waiting large = waitFor("w", "x", "y", "z");
        Waiting small = waitFor("s");

        // When
        holder.close();

        // Then
        Allocation first = large.allocation();
        assertThat(small.thread.isAlive()).isTrue();
        first.close();
        small.allocation().close();
    }

    @Test
    void requestThatNeedsNoPagesDoesNotWaitInLine() throws Exception {
        pool.fill("a");
        Allocation holder = pool.allocate("b");
        Waiting large = waitFor("w", "x", "y", "z");

        pool.allocate("a").close();
        pool.allocate().close();

        holder.close();
        large.allocation().close();
    }

    @Test
    void headThatLeavesAtItsDeadlineLetsTheNextOneIn() throws Exception {
        // Given
        try (Allocation _ = pool.allocate("a", "b", "c")) {
            Waiting large = waitFor(Duration.ofMillis(200), "w", "x", "y", "z");

            // When
            Waiting small = waitFor("s");

            // Then
            assertThatThrownBy(large::allocation)
                    .hasRootCauseInstanceOf(TransferException.class)
                    .rootCause()
                    .extracting("code")
                    .isEqualTo(ErrorCode.POOL_FULL);
            small.allocation().close();
        }
    }

    @Test
    void interruptedWaiterLeavesNothingBehindAndLetsTheNextOneIn() throws Exception {
        // Given
        try (Allocation _ = pool.allocate("a", "b", "c")) {
            Waiting large = waitFor("w", "x", "y", "z");
            Waiting small = waitFor("s");

            // When
            large.thread.interrupt();

            // Then
            assertThatThrownBy(large::allocation).hasRootCauseInstanceOf(InterruptedException.class);
            small.allocation().close();
            assertThat(pool.store.counts()).isEqualTo(new PageCounts(4, 1, 3, 0, 0, 0));
        }
    }

    @Test
    void twoRequestsThatEachNeedMoreThanHalfBothSucceedOneAfterTheOther() throws Exception {
        Allocation first = pool.allocate("a", "b", "c");
        Waiting second = waitFor("x", "y", "z");

        for (int chunk = 0; chunk < 3; chunk++) {
            first.commit(chunk);
        }
        first.close();

        second.allocation().close();
    }

    private Waiting waitFor(String... names) {
        return waitFor(FOR_EVER, names);
    }

    /** Returns once that request stands in the line, or has ended. */
    private Waiting waitFor(Duration wait, String... names) {
        var waiting = new Waiting(() -> pool.allocate(wait, names));
        started.add(waiting);
        waiting.thread.start();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(1))
                .until(waiting.thread::getState, state -> state == TIMED_WAITING || state == TERMINATED);
        return waiting;
    }

    private static final class Waiting {

        final FutureTask<Allocation> task;
        final Thread thread;

        Waiting(Callable<Allocation> request) {
            task = new FutureTask<>(request);
            thread = Thread.ofPlatform().daemon().unstarted(task);
        }

        Allocation allocation() throws InterruptedException, ExecutionException, TimeoutException {
            return task.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
