package dev.tandem.engine;

/** A prompt's prefill by the reference engine. */
final class ReferencePrefill implements PrefillRun {

    private final TokenSequence prompt;
    private final ForwardPass pass;
    private final int chunkTokens;
    private final int chunks;
    private int next;
    private int computed;

    /**
     * @param computedChunks leading chunks that are not computed again
     * @param pass over the prompt's pages; over those of all but the last token if every chunk is computed
     */
    ReferencePrefill(TokenSequence prompt, int computedChunks, int chunkTokens, ForwardPass pass) {
        this.prompt = prompt;
        this.pass = pass;
        this.chunkTokens = chunkTokens;
        this.chunks = Math.ceilDiv(prompt.length(), chunkTokens);
        this.next = computedChunks;
    }

    @Override
    public boolean done() {
        return next == chunks;
    }

    @Override
    public int computeNextChunk() throws InterruptedException {
        if (done()) {
            throw new IllegalStateException("all %d chunks are computed".formatted(chunks));
        }
        int first = next * chunkTokens;
        compute(first, Math.min(prompt.length(), first + chunkTokens));
        return next++;
    }

    @Override
    public int firstToken(Sampling sampling) throws InterruptedException {
        if (!done()) {
            throw new IllegalStateException("%d of %d chunks are computed".formatted(next, chunks));
        }
        if (computed < prompt.length()) {
            compute(prompt.length() - 1, prompt.length());
        }
        return Choice.next(pass.logits(), sampling, prompt.length());
    }

    private void compute(int from, int to) throws InterruptedException {
        pass.compute(prompt.tokens(), from, to);
        computed = to;
    }

    @Override
    public void close() {
        pass.close();
    }
}
