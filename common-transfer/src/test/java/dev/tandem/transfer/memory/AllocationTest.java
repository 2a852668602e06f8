package dev.tandem.transfer.memory;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.ErrorCode;
import dev.tandem.transfer.PageRef;
import dev.tandem.transfer.TransferException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class AllocationTest {

    private final Pool pool = new Pool(2, 2);

    @Test
    void everyNewChunkGetsAPageAndAPositiveTokenOfItsOwn() throws Exception {
        try (Allocation allocation = pool.allocate("a", "b", "c")) {
            Set<PageRef> pages = new HashSet<>();
            Set<Long> tokens = new HashSet<>();
            for (int chunk = 0; chunk < allocation.size(); chunk++) {
                pages.add(allocation.page(chunk).ref());
                tokens.add(allocation.token(chunk));
                assertThat(allocation.present(chunk)).isFalse();
            }

            assertThat(pages).hasSize(3);
            assertThat(tokens).hasSize(3).allMatch(token -> token > 0);
        }
    }

    @Test
    void pagesOfOneRequestAreTakenInOrder() throws Exception {
        try (Allocation allocation = pool.allocate("a", "b", "c")) {
            assertThat(List.of(
                            allocation.page(0).ref(),
                            allocation.page(1).ref(),
                            allocation.page(2).ref()))
                    .containsExactly(new PageRef("kv-0", 0), new PageRef("kv-0", 1), new PageRef("kv-1", 0));
        }
    }

    @Test
    void reservedChunkIsInvisible() throws Exception {
        try (Allocation _ = pool.allocate("a")) {
            assertThat(pool.holds("a")).isFalse();
            assertThat(pool.store.present(Pool.keys("a"))).isZero();
            assertThat(pool.lease("a").size()).isZero();
        }
    }

    @Test
    void committedChunkIsVisibleAndPinnedByItsAllocation() throws Exception {
        try (Allocation allocation = pool.allocate("a", "b")) {
            assertThat(allocation.commit(0)).isEqualTo(CommitOutcome.COMMITTED);

            assertThat(pool.holds("a")).isTrue();
            assertThat(pool.holds("b")).isFalse();
            assertThat(pool.store.evict(new ChunkKey("a"))).isFalse();
            assertThat(pool.store.counts()).isEqualTo(new PageCounts(4, 2, 1, 1, 1, 0));
        }
    }

    @Test
    void presentChunkIsPinnedAndNeedsNoWriting() throws Exception {
        // Given
        pool.fill("a");

        // When
        try (Allocation allocation = pool.allocate("a", "b")) {
            // Then
            assertThat(allocation.present(0)).isTrue();
            assertThat(allocation.token(0)).isZero();
            assertThat(allocation.page(0).ref()).isEqualTo(new PageRef("kv-0", 0));
            assertThat(allocation.present(1)).isFalse();
            assertThat(pool.store.evict(new ChunkKey("a"))).isFalse();
        }
    }

    @Test
    void laterPositionOfAKeyCountsAsPresentInThePageOfTheFirst() throws Exception {
        try (Allocation allocation = pool.allocate("a", "b", "a")) {
            assertThat(allocation.present(0)).isFalse();
            assertThat(allocation.present(2)).isTrue();
            assertThat(allocation.token(2)).isZero();
            assertThat(allocation.page(2)).isEqualTo(allocation.page(0));
            assertThat(pool.store.counts().reserved()).isEqualTo(2);
        }
    }

    @Test
    void completeMeansThatEveryChunkIsPresentOrCommitted() throws Exception {
        pool.fill("a");
        try (Allocation allocation = pool.allocate("a", "b", "b")) {
            assertThat(allocation.complete()).isFalse();

            allocation.commit(1);

            assertThat(allocation.complete()).isTrue();
        }
    }

    @Test
    void noChunksAreCompleteAtOnce() throws Exception {
        try (Allocation allocation = pool.allocate()) {
            assertThat(allocation.size()).isZero();
            assertThat(allocation.complete()).isTrue();
        }
    }

    @Test
    void chunkReservedByAnotherIsNewAndTheFirstCommitWins() throws Exception {
        try (Allocation first = pool.allocate("a");
                Allocation second = pool.allocate("a")) {
            // Given
            Page winner = second.page(0);
            assertThat(first.page(0)).isNotEqualTo(winner);

            // When
            assertThat(second.commit(0)).isEqualTo(CommitOutcome.COMMITTED);
            assertThat(first.commit(0)).isEqualTo(CommitOutcome.DUPLICATE);

            // Then
            assertThat(first.page(0)).isEqualTo(winner);
            assertThat(first.complete()).isTrue();
            assertThat(pool.store.counts()).isEqualTo(new PageCounts(4, 3, 0, 1, 1, 0));
        }
    }

    @Test
    void duplicateIsPinnedUntilTheLastOfBothCloses() throws Exception {
        // Given
        Allocation first = pool.allocate("a");
        Allocation second = pool.allocate("a");
        second.commit(0);
        first.commit(0);

        // When
        second.close();

        // Then
        assertThat(pool.store.evict(new ChunkKey("a"))).isFalse();
        first.close();
        assertThat(pool.store.evict(new ChunkKey("a"))).isTrue();
    }

    @Test
    void bytesOfADuplicateAreThoseThatWereCommitted() throws Exception {
        try (Allocation first = pool.store.allocate(Pool.keys("a"), new long[] {10}, Deadline.after(Duration.ZERO));
                Allocation second =
                        pool.store.allocate(Pool.keys("a"), new long[] {20}, Deadline.after(Duration.ZERO))) {
            first.commit(0);
            assertThat(second.bytes(0)).isEqualTo(20);

            second.commit(0);

            assertThat(second.bytes(0)).isEqualTo(10);
        }
    }

    @Test
    void repeatedCommitReturnsTheFirstOutcome() throws Exception {
        Allocation allocation = pool.allocate("a", "b");
        allocation.commit(0);
        allocation.quarantine();
        allocation.commit(1);
        allocation.close();

        assertThat(allocation.commit(0)).isEqualTo(CommitOutcome.COMMITTED);
        assertThat(allocation.commit(1)).isEqualTo(CommitOutcome.REFUSED);
        assertThat(pool.holds("b")).isFalse();
    }

    @Test
    void committingAPresentChunkIsADuplicate() throws Exception {
        pool.fill("a");
        try (Allocation allocation = pool.allocate("a")) {
            assertThat(allocation.commit(0)).isEqualTo(CommitOutcome.DUPLICATE);
        }
    }

    @Test
    void commitAfterCloseIsRefusedEvenIfThePageIsReservedAgain() throws Exception {
        // Given
        Allocation ended = pool.allocate("a");
        ended.close();

        try (Allocation next = pool.allocate("a")) {
            assertThat(next.page(0)).isEqualTo(ended.page(0));

            // When
            assertThat(ended.commit(0)).isEqualTo(CommitOutcome.REFUSED);

            // Then
            assertThat(pool.holds("a")).isFalse();
            assertThat(next.commit(0)).isEqualTo(CommitOutcome.COMMITTED);
        }
    }

    @Test
    void quarantinedPagesAreNotReusedUntilClose() throws Exception {
        // Given
        Allocation allocation = pool.allocate("a", "b", "c", "d");
        allocation.commit(0);

        // When
        allocation.quarantine();
        allocation.quarantine();

        // Then
        assertThat(pool.store.counts()).isEqualTo(new PageCounts(4, 0, 0, 1, 1, 3));
        assertThatExceptionOfType(TransferException.class).isThrownBy(() -> pool.allocate("e"));
        allocation.close();
        pool.allocate("e", "f", "g").close();
    }

    @Test
    void closeFreesWhatIsNotCommittedAndKeepsWhatIs() throws Exception {
        Allocation allocation = pool.allocate("a", "b");
        allocation.commit(0);

        allocation.close();

        assertThat(pool.store.counts()).isEqualTo(new PageCounts(4, 3, 0, 1, 0, 0));
    }

    @Test
    void closingTwiceTouchesNobodyElsesPage() throws Exception {
        // Given
        Allocation ended = pool.allocate("a");
        ended.close();
        try (Allocation next = pool.allocate("b")) {
            // When
            ended.close();
            ended.quarantine();

            // Then
            assertThat(next.commit(0)).isEqualTo(CommitOutcome.COMMITTED);
        }
    }

    @Test
    void requestLargerThanThePoolIsRefusedNamingBothSizes() {
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> pool.allocate(Duration.ofDays(1), "a", "b", "c", "d", "e"))
                .withMessage("5 chunks need 320 bytes: the pool has 4 pages, 256 bytes")
                .extracting(TransferException::code)
                .isEqualTo(ErrorCode.TOO_LARGE);
    }

    @Test
    void aKeyThatStandsTwiceNeedsOnePageOnly() throws Exception {
        pool.allocate("a", "b", "c", "d", "a", "b").close();

        assertThat(pool.store.counts()).isEqualTo(pool.allFree());
    }

    @Test
    void fullPoolIsReportedAtTheDeadlineWithItsCounts() throws Exception {
        try (Allocation _ = pool.allocate("a", "b", "c")) {
            assertThatExceptionOfType(TransferException.class)
                    .isThrownBy(() -> pool.allocate("d", "e"))
                    .withMessageStartingWith("2 chunks lack 1 pages: ")
                    .extracting(TransferException::code)
                    .isEqualTo(ErrorCode.POOL_FULL);
            assertThat(pool.store.counts()).isEqualTo(new PageCounts(4, 1, 3, 0, 0, 0));
        }
    }

    @Test
    void presentChunksOfTheRequestAreNotEvictedForIt() throws Exception {
        // Given
        pool.fill("a", "b", "c", "d");

        // When
        try (Allocation allocation = pool.allocate("d", "c", "x", "y")) {
            // Then
            assertThat(allocation.present(0)).isTrue();
            assertThat(allocation.present(1)).isTrue();
            assertThat(pool.holds("a")).isFalse();
            assertThat(pool.holds("b")).isFalse();
        }
    }

    @Test
    void requestThatFitsOnlyWithoutItsOwnPresentChunksIsNotGranted() throws Exception {
        pool.fill("a", "b");
        try (Allocation _ = pool.allocate("x", "y")) {
            assertThatExceptionOfType(TransferException.class).isThrownBy(() -> pool.allocate("a", "b", "c"));

            assertThat(pool.store.present(Pool.keys("a", "b"))).isEqualTo(2);
            assertThat(pool.store.counts().pinned()).isZero();
        }
    }

    @Test
    void sizesMustMatchTheKeysAndThePage() {
        Deadline now = Deadline.after(Duration.ZERO);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.store.allocate(Pool.keys("a"), new long[] {1, 2}, now))
                .withMessage("1 keys with 2 sizes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.store.allocate(Pool.keys("a"), new long[] {65}, now))
                .withMessage("chunk of 65 bytes: must be 1..64, the size of a page");
        assertThatIllegalArgumentException().isThrownBy(() -> pool.store.allocate(Pool.keys("a"), new long[] {0}, now));
    }
}
