package dev.tandem.engine;

/**
 * One KV head's keys and values of a sequence's leading tokens, copied together for the arithmetic: keys by element,
 * then position; values by position, then element. Scratch memory, overwritten by the next head. Belongs to one thread.
 */
final class GatheredHead {

    private final float[][] keys;
    private final float[][] values;
    private final float[] rows;

    GatheredHead(ModelConfig config) {
        keys = new float[config.headSize()][config.contextTokens()];
        values = new float[config.contextTokens()][config.headSize()];
        rows = new float[config.contextTokens() * config.kvWidth()];
    }

    float[][] keys() {
        return keys;
    }

    float[][] values() {
        return values;
    }

    /** Gathers the first {@code positions} tokens. */
    void gather(KvSequence kv, int layer, int head, int positions) {
        int rank = kv.geometry().rankOf(head);
        for (KvBlock block : kv.blocks()) {
            int count = Math.min(block.used(), positions - block.first());
            if (count > 0) {
                block.read(KvBlock.Half.KEYS, layer, rank, count, rows);
                spreadKeys(kv.geometry(), head, block.first(), count);
                block.read(KvBlock.Half.VALUES, layer, rank, count, rows);
                spreadValues(kv.geometry(), head, block.first(), count);
            }
        }
    }

    private void spreadKeys(KvGeometry geometry, int head, int first, int count) {
        int stride = geometry.rankWidth();
        for (int element = 0; element < keys.length; element++) {
            float[] row = keys[element];
            int column = geometry.columnOf(head) + element;
            for (int i = 0; i < count; i++) {
                row[first + i] = rows[i * stride + column];
            }
        }
    }

    private void spreadValues(KvGeometry geometry, int head, int first, int count) {
        int column = geometry.columnOf(head);
        for (int i = 0; i < count; i++) {
            System.arraycopy(rows, i * geometry.rankWidth() + column, values[first + i], 0, geometry.headSize());
        }
    }
}
