package dev.tandem.engine;

/**
 * Computes the tokens of one sequence, block by block, on the engine's threads. Every layer's keys of a block must be
 * there before the attention of its tokens begins, so a block takes one step more than there are layers, each in parts
 * that threads share; a few tokens go through all layers in one step. Used by one thread at a time, which blocks.
 */
final class ForwardPass implements AutoCloseable {

    /** Fewer tokens than this are not worth another thread. */
    private static final int MIN_PART_TOKENS = 8;

    private final ReferenceModel model;
    private final Workers workers;
    private final KvSequence kv;
    private final TokenBlock block;
    private final float[] logits = new float[ByteTokens.VOCABULARY];
    private boolean over;

    /** @param tokens most tokens that will be computed at a time; more are computed one block after the other */
    ForwardPass(ReferenceModel model, Workers workers, KvSequence kv, int tokens) {
        this.model = model;
        this.workers = workers;
        this.kv = kv;
        this.block = new TokenBlock(model.config(), kv, tokens);
    }

    /**
     * Computes tokens {@code from <= t < to} into the sequence, which has all before them; see {@link #logits}.
     *
     * @throws InterruptedException the run is over
     * @throws IllegalStateException the run is over, or is now since the engine is closed or a page is not accessible
     */
    void compute(int[] tokens, int from, int to) throws InterruptedException {
        requireUnderWay();
        over = true; // should the next lines throw
        kv.growTo(to);
        for (int first = from; first < to; first += block.capacity()) {
            computeBlock(tokens, first, Math.min(block.capacity(), to - first));
        }
        over = false;
    }

    /** What follows the last token computed; valid until the next is. */
    float[] logits() {
        requireUnderWay();
        return logits;
    }

    private void requireUnderWay() {
        if (over) {
            throw new IllegalStateException("the run is over");
        }
    }

    /** Ends the run and gives up its own memory. */
    @Override
    public void close() {
        over = true;
        kv.clear();
    }

    private void computeBlock(int[] tokens, int first, int count) throws InterruptedException {
        block.moveTo(first, count);
        for (int token = 0; token < count; token++) {
            model.embed(tokens[first + token], block.hidden(token));
        }
        int parts = Math.min(workers.threads(), Math.ceilDiv(count, MIN_PART_TOKENS));
        if (parts == 1) {
            workers.run(1, (_, workspace) -> computeAlone(workspace));
        } else {
            computeInParts(parts);
        }
    }

    private void computeAlone(Workspace workspace) {
        for (int step = 0; step <= model.layers().size(); step++) {
            computeStep(step, block.part(0, 1), workspace);
        }
    }

    private void computeInParts(int parts) throws InterruptedException {
        for (int step = 0; step <= model.layers().size(); step++) {
            int current = step;
            workers.run(parts, (index, workspace) -> computeStep(current, block.part(index, parts), workspace));
        }
    }

    /** The second half of one layer, then the first half of the next; after the last layer, what follows. */
    private void computeStep(int step, TokenBlock.Part part, Workspace workspace) {
        if (step > 0) {
            model.layers().get(step - 1).finish(part, workspace);
        }
        if (step < model.layers().size()) {
            model.layers().get(step).project(part, workspace);
        } else if (part.isLast()) {
            model.logits(block.hidden(part.to() - 1), logits);
        }
    }
}
