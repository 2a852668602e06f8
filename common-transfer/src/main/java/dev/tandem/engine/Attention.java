package dev.tandem.engine;

import java.util.Arrays;

/**
 * Grouped-query attention: each token's query heads look at the keys of all tokens up to it, and mix their values by the
 * softmax of the scores. Scores and sums go by position, in order, so that it does not matter which tokens are computed
 * together. Immutable.
 */
final class Attention {

    private final int kvHeads;
    private final int group;
    private final int headSize;
    private final float scale;

    Attention(ModelConfig config) {
        kvHeads = config.kvHeads();
        group = config.heads() / config.kvHeads();
        headSize = config.headSize();
        scale = (float) (1 / Math.sqrt(config.headSize()));
    }

    /** Computes {@code workspace.mixed} of the part's tokens, whose keys and values are stored. */
    void mix(TokenBlock.Part part, int layer, Workspace workspace) {
        for (int kvHead = 0; kvHead < kvHeads; kvHead++) {
            workspace.head.gather(part.kv(), layer, kvHead, part.position(part.to()));
            for (int token = part.from(); token < part.to(); token++) {
                mixHeads(part, kvHead, token, workspace);
            }
        }
    }

    /** The query heads of one token that share a KV head. */
    private void mixHeads(TokenBlock.Part part, int kvHead, int token, Workspace workspace) {
        for (int head = kvHead * group; head < (kvHead + 1) * group; head++) {
            System.arraycopy(part.queries()[token], head * headSize, workspace.query, 0, headSize);
            mixOne(part.position(token) + 1, workspace);
            System.arraycopy(workspace.output, 0, workspace.mixed[token], head * headSize, headSize);
        }
    }

    private void mixOne(int positions, Workspace workspace) {
        float[] scores = workspace.scores;
        Arrays.fill(scores, 0, positions, 0f);
        Matrix.addRows(workspace.head.keys(), workspace.query, headSize, scores, positions);
        float sum = softmax(scores, positions);
        Arrays.fill(workspace.output, 0f);
        Matrix.addRows(workspace.head.values(), scores, positions, workspace.output, headSize);
        for (int i = 0; i < headSize; i++) {
            workspace.output[i] /= sum;
        }
    }

    /** Turns scores into weights; returns their sum, by which the weighted values are still to be divided. */
    private float softmax(float[] scores, int positions) {
        float most = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < positions; i++) {
            most = Math.max(most, scores[i]);
        }
        float sum = 0;
        for (int i = 0; i < positions; i++) {
            scores[i] = Exponential.of((scores[i] - most) * scale);
            sum += scores[i];
        }
        return sum;
    }
}
