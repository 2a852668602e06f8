package dev.tandem.engine;

/** A continuation by the reference engine. */
final class ReferenceDecode implements DecodeRun {

    private final TokenSequence sequence;
    private final ForwardPass pass;
    private final Sampling sampling;
    private int computed;

    /** @param computed leading tokens that the pass has the keys and values of, fewer than there are */
    ReferenceDecode(TokenSequence sequence, int computed, ForwardPass pass, Sampling sampling) {
        this.sequence = sequence;
        this.computed = computed;
        this.pass = pass;
        this.sampling = sampling;
    }

    @Override
    public int next() throws InterruptedException {
        if (sequence.ended()) {
            return END;
        }
        sequence.requireRoom();
        pass.compute(sequence.tokens(), computed, sequence.length());
        computed = sequence.length();
        sequence.append(Choice.next(pass.logits(), sampling, computed));
        return sequence.ended() ? END : sequence.last();
    }

    @Override
    public void close() {
        pass.close();
    }
}
