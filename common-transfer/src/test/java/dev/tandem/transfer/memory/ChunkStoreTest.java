package dev.tandem.transfer.memory;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.ChunkKey;
import dev.tandem.transfer.PageRef;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ChunkStoreTest {

    private final Pool pool = new Pool(4);

    @Test
    void leaseIsTheLongestLeadingRunThatIsCommitted() throws Exception {
        pool.fill("a", "b", "d");

        try (Lease lease = pool.lease("a", "b", "c", "d")) {
            assertThat(lease.size()).isEqualTo(2);
            assertThat(lease.key(1)).isEqualTo(new ChunkKey("b"));
            assertThat(lease.page(1).ref()).isEqualTo(new PageRef("kv-0", 1));
            assertThat(lease.bytes(1)).isEqualTo(Pool.PAGE_BYTES);
        }
    }

    @Test
    void presentCountsTheLeadingRunWithoutHoldingIt() throws Exception {
        pool.fill("a", "b", "d");

        assertThat(pool.store.present(Pool.keys("a", "b", "c", "d"))).isEqualTo(2);
        assertThat(pool.store.counts().pinned()).isZero();
    }

    @Test
    void leasedChunkIsNotEvictedUntilEveryLeaseIsClosed() throws Exception {
        // Given
        pool.fill("a");
        Lease one = pool.lease("a");
        Lease other = pool.lease("a");

        // When
        one.close();
        one.close();

        // Then
        assertThat(pool.store.evict(new ChunkKey("a"))).isFalse();
        other.close();
        assertThat(pool.store.evict(new ChunkKey("a"))).isTrue();
    }

    @Test
    void closedLeaseNamesNoPage() throws Exception {
        pool.fill("a");
        Lease lease = pool.lease("a");
        lease.close();

        assertThatIllegalStateException().isThrownBy(() -> lease.page(0)).withMessage("lease of 1 chunks: closed");
    }

    @Test
    void leastRecentlyUsedChunkIsEvictedFirst() throws Exception {
        // Given
        pool.fill("a");
        pool.fill("b");
        pool.fill("c");
        pool.fill("d");
        pool.lease("a").close();
        pool.allocate("b").close();

        // When
        pool.fill("e", "f");

        // Then
        assertThat(List.of(pool.holds("a"), pool.holds("b"), pool.holds("c"), pool.holds("d")))
                .containsExactly(true, true, false, false);
    }

    @Test
    void prefixLosesItsEndFirst() throws Exception {
        pool.fill("a", "b", "c", "d");

        pool.fill("e", "f");

        assertThat(pool.store.present(Pool.keys("a", "b", "c", "d"))).isEqualTo(2);
    }

    @Test
    void chunksAreListedMostRecentlyUsedFirst() throws Exception {
        pool.fill("a", "b", "c");
        pool.lease("b").close();
        try (Lease _ = pool.lease("a")) {
            assertThat(names(pool.store.chunks(0, 10))).containsExactly("a", "b", "c");
            assertThat(names(pool.store.chunks(1, 1))).containsExactly("b");
            assertThat(pool.store.chunks(3, 10)).isEmpty();
        }
    }

    @Test
    void foundChunkTellsItsPageSizePinsAndAge() throws Exception {
        pool.fill("a");
        pool.nanos.addAndGet(500);
        try (Lease _ = pool.lease("a");
                Lease _ = pool.lease("a")) {
            assertThat(pool.store.find(new ChunkKey("a")))
                    .contains(new StoredChunk(new ChunkKey("a"), new PageRef("kv-0", 0), Pool.PAGE_BYTES, 2, 500));
        }
    }

    @Test
    void unknownChunkIsNeitherFoundNorEvicted() {
        assertThat(pool.store.find(new ChunkKey("a"))).isEmpty();
        assertThat(pool.store.evict(new ChunkKey("a"))).isFalse();
    }

    @Test
    void evictedChunkIsGone() throws Exception {
        pool.fill("a");

        assertThat(pool.store.evict(new ChunkKey("a"))).isTrue();

        assertThat(pool.holds("a")).isFalse();
        assertThat(pool.store.counts()).isEqualTo(pool.allFree());
    }

    @Test
    void buffersMustBeOfOnePageSizeAndDifferent() {
        RegisteredBuffer buffer = Pool.buffer("kv-0", 2, 64);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ChunkStore(List.of(), System::nanoTime))
                .withMessage("chunk store: no buffers");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ChunkStore(List.of(buffer, buffer), System::nanoTime))
                .withMessage("buffer kv-0: stands there twice");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ChunkStore(List.of(buffer, Pool.buffer("kv-1", 2, 32)), System::nanoTime))
                .withMessage("buffer kv-1: pages of 32 bytes, those of the first buffer have 64");
    }

    private static List<String> names(List<StoredChunk> chunks) {
        return chunks.stream().map(chunk -> chunk.key().value()).toList();
    }
}
