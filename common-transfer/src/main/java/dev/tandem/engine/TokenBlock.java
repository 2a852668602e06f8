package dev.tandem.engine;

/** Some consecutive tokens of one sequence on their way through the layers. */
final class TokenBlock {

    /** Most tokens of a block. */
    static final int MAX_TOKENS = 64;

    private final KvSequence kv;
    private final float[][] hidden;
    private final float[][] queries;
    private int first;
    private int count;

    /**
     * A block of up to {@code tokens} tokens.
     *
     * @param kv where the sequence's keys and values are, the block's own included
     */
    TokenBlock(ModelConfig config, KvSequence kv, int tokens) {
        int rows = Math.min(tokens, MAX_TOKENS);
        this.kv = kv;
        this.hidden = new float[rows][config.hidden()];
        this.queries = new float[rows][config.queryWidth()];
    }

    /** Most tokens that it can hold. */
    int capacity() {
        return hidden.length;
    }

    /** Moves on to other tokens: {@code count} from position {@code first}. */
    void moveTo(int first, int count) {
        this.first = first;
        this.count = count;
    }

    /** What goes from layer to layer for a token. */
    float[] hidden(int token) {
        return hidden[token];
    }

    /** One of {@code parts} equal shares. */
    Part part(int index, int parts) {
        return new Part(this, count * index / parts, count * (index + 1) / parts);
    }

    /** Tokens {@code from <= t < to} of the block: what one thread works on. */
    record Part(TokenBlock block, int from, int to) {

        KvSequence kv() {
            return block.kv;
        }

        /** What goes from layer to layer, by token of the block. */
        float[][] hidden() {
            return block.hidden;
        }

        /** Queries of the layer under way, rotated, by token of the block. */
        float[][] queries() {
            return block.queries;
        }

        int position(int token) {
            return block.first + token;
        }

        boolean isLast() {
            return to == block.count;
        }
    }
}
