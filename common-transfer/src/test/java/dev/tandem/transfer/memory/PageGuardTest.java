package dev.tandem.transfer.memory;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What the store admits a channel to, and what it keeps while bytes move. */
class PageGuardTest {

    private final Pool pool = new Pool(2, 2);

    @Test
    void writeWithTheTokenOfItsReservationIsAdmitted() throws Exception {
        try (Allocation allocation = pool.allocate("a")) {
            assertThat(pool.beginWrite(allocation, 0)).isTrue();
            assertThat(allocation.writing()).isTrue();

            pool.endWrite(allocation.page(0));

            assertThat(allocation.writing()).isFalse();
        }
    }

    @Test
    void writeWithAnotherTokenIsRefused() throws Exception {
        try (Allocation allocation = pool.allocate("a", "b")) {
            assertThat(pool.beginWrite(allocation.page(0), allocation.token(1))).isFalse();
            assertThat(pool.beginWrite(allocation.page(0), 0)).isFalse();
            assertThat(allocation.writing()).isFalse();
        }
    }

    @Test
    void secondWriteAtTheSameTimeIsRefused() throws Exception {
        try (Allocation allocation = pool.allocate("a")) {
            pool.beginWrite(allocation, 0);

            assertThat(pool.beginWrite(allocation, 0)).isFalse();

            pool.endWrite(allocation.page(0));
            assertThat(pool.beginWrite(allocation, 0)).isTrue();
            pool.endWrite(allocation.page(0));
        }
    }

    @Test
    void writeOfMoreThanTheChunkIsRefused() throws Exception {
        long[] bytes = {40};
        var now = Deadline.after(Duration.ZERO);
        try (Allocation allocation = pool.store.allocate(Pool.keys("a"), bytes, now)) {
            long token = allocation.token(0);

            assertThat(pool.store.beginWrite("kv-0", 0, 41, token)).isFalse();
            assertThat(pool.store.beginWrite("kv-0", 0, 0, token)).isFalse();
            assertThat(pool.store.beginWrite("kv-0", 0, -1, token)).isFalse();
            assertThat(pool.store.beginWrite("kv-0", 0, 40, token)).isTrue();
            pool.store.endWrite("kv-0", 0);
        }
    }

    @Test
    void writeThatDoesNotBeginAtAPageIsRefused() throws Exception {
        try (Allocation allocation = pool.allocate("a")) {
            long token = allocation.token(0);

            assertThat(pool.store.beginWrite("kv-0", 1, 8, token)).isFalse();
            assertThat(pool.store.beginWrite("kv-0", -Pool.PAGE_BYTES, 8, token))
                    .isFalse();
            assertThat(pool.store.beginWrite("kv-0", 2 * Pool.PAGE_BYTES, 8, token))
                    .isFalse();
            assertThat(pool.store.beginWrite("kv-0", Long.MAX_VALUE - 63, 8, token))
                    .isFalse();
            assertThat(pool.store.beginWrite("kv-9", 0, 8, token)).isFalse();
        }
    }

    @Test
    void staleTokenIsRefused() throws Exception {
        // Given
        Allocation ended = pool.allocate("a");
        long stale = ended.token(0);
        ended.close();

        try (Allocation next = pool.allocate("a")) {
            // When
            boolean admitted = pool.beginWrite(next.page(0), stale);

            // Then
            assertThat(admitted).isFalse();
        }
    }

    @Test
    void committedPageIsNotWritten() throws Exception {
        try (Allocation allocation = pool.allocate("a")) {
            allocation.commit(0);

            assertThat(pool.beginWrite(allocation, 0)).isFalse();
        }
    }

    @Test
    void quarantinedPageIsNotWritten() throws Exception {
        try (Allocation allocation = pool.allocate("a")) {
            allocation.quarantine();

            assertThat(pool.beginWrite(allocation, 0)).isFalse();
        }
    }

    @Test
    void commitDuringAWriteIsRefusedAndQuarantinesThePage() throws Exception {
        Allocation allocation = pool.allocate("a");
        pool.beginWrite(allocation, 0);

        assertThat(allocation.commit(0)).isEqualTo(CommitOutcome.REFUSED);

        pool.endWrite(allocation.page(0));
        assertThat(pool.store.counts().quarantined()).isEqualTo(1);
        allocation.close();
        assertThat(pool.store.counts()).isEqualTo(pool.allFree());
    }

    @Test
    void writeUnderWayOutlastsQuarantine() throws Exception {
        Allocation allocation = pool.allocate("a");
        pool.beginWrite(allocation, 0);

        allocation.quarantine();
        pool.endWrite(allocation.page(0));

        assertThat(pool.store.counts().quarantined()).isEqualTo(1);
        allocation.close();
        assertThat(pool.store.counts()).isEqualTo(pool.allFree());
    }

    @Test
    void pageBeingWrittenStaysInQuarantineAfterCloseUntilTheWriteEnds() throws Exception {
        // Given
        Allocation allocation = pool.allocate("a", "b");
        Page page = allocation.page(0);
        pool.beginWrite(allocation, 0);

        // When
        allocation.close();

        // Then
        assertThat(pool.store.counts()).isEqualTo(new PageCounts(4, 3, 0, 0, 0, 1));
        assertThat(allocation.writing()).isTrue();
        pool.endWrite(page);
        assertThat(pool.store.counts()).isEqualTo(pool.allFree());
        assertThat(allocation.writing()).isFalse();
    }

    @Test
    void endOfAWriteThatNeverBeganIsAFault() throws Exception {
        try (Allocation allocation = pool.allocate("a")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> pool.endWrite(allocation.page(0)))
                    .withMessage("page 0 of buffer kv-0: no write is under way");
            assertThatIllegalStateException()
                    .isThrownBy(() -> pool.store.endWrite("kv-0", 3))
                    .withMessage("region kv-0: no page begins at 3");
        }
    }

    @Test
    void committedChunkMayBeReadAndStaysUntilTheReadEnds() throws Exception {
        // Given
        pool.fill("a");
        Page page = pool.pages.getFirst();

        // When
        assertThat(pool.beginRead(page)).isTrue();
        assertThat(pool.beginRead(page)).isTrue();
        pool.endRead(page);

        // Then
        assertThat(pool.store.evict(new ChunkKey("a"))).isFalse();
        assertThat(pool.store.counts().pinned()).isEqualTo(1);
        pool.endRead(page);
        assertThat(pool.store.evict(new ChunkKey("a"))).isTrue();
    }

    @Test
    void pageThatIsNotCommittedIsNotRead() throws Exception {
        try (Allocation allocation = pool.allocate("a")) {
            assertThat(pool.beginRead(allocation.page(0))).isFalse();
            allocation.quarantine();
            assertThat(pool.beginRead(allocation.page(0))).isFalse();
        }
    }

    @Test
    void readOfMoreThanTheChunkIsRefused() throws Exception {
        pool.fill("a");

        assertThat(pool.store.beginRead("kv-0", 0, Pool.PAGE_BYTES + 1, 0)).isFalse();
        assertThat(pool.store.beginRead("kv-0", 0, 0, 0)).isFalse();
    }

    @Test
    void endOfAReadDoesNotDropAnothersPin() throws Exception {
        try (Allocation allocation = pool.allocate("a")) {
            allocation.commit(0);

            assertThatIllegalStateException()
                    .isThrownBy(() -> pool.endRead(allocation.page(0)))
                    .withMessage("page 0 of buffer kv-0: no read is under way");
            assertThat(pool.store.counts().pinned()).isEqualTo(1);
        }
    }
}
