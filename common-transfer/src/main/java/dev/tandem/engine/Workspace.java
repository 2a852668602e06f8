package dev.tandem.engine;

/** One engine thread's scratch memory: what is between the steps of a layer, by token of a block. */
final class Workspace {

    final float[][] normed;
    final float[][] keys;
    final float[][] values;
    final float[][] mixed;
    final float[][] gate;
    final float[][] up;
    final GatheredHead head;
    final float[] query;
    final float[] scores;
    final float[] output;

    Workspace(ModelConfig config) {
        normed = new float[TokenBlock.MAX_TOKENS][config.hidden()];
        keys = new float[TokenBlock.MAX_TOKENS][config.kvWidth()];
        values = new float[TokenBlock.MAX_TOKENS][config.kvWidth()];
        mixed = new float[TokenBlock.MAX_TOKENS][config.queryWidth()];
        gate = new float[TokenBlock.MAX_TOKENS][config.intermediate()];
        up = new float[TokenBlock.MAX_TOKENS][config.intermediate()];
        head = new GatheredHead(config);
        query = new float[config.headSize()];
        scores = new float[config.contextTokens()];
        output = new float[config.headSize()];
    }
}
