package dev.tandem.engine;

/**
 * One layer of a Llama-architecture model, in two halves: what has to be done for every token of a block before the
 * attention of any can begin, and the rest. Immutable, thread-safe; what it works on belongs to the caller's thread.
 */
final class TransformerLayer {

    private final int index;
    private final Rotary rotary;
    private final Attention attention;
    private final RmsNorm inputNorm;
    private final Matrix query;
    private final Matrix key;
    private final Matrix value;
    private final Matrix output;
    private final RmsNorm mlpNorm;
    private final Matrix gate;
    private final Matrix up;
    private final Matrix down;

    /** @throws IllegalArgumentException when a tensor is missing or has another shape than the configuration says */
    TransformerLayer(ModelFiles files, int index, Rotary rotary) {
        ModelConfig config = files.config();
        var tensors = new LayerTensors(files, "model.layers.%d.".formatted(index));
        this.index = index;
        this.rotary = rotary;
        attention = new Attention(config);
        inputNorm = tensors.norm("input_layernorm");
        query = tensors.matrix("self_attn.q_proj", config.queryWidth(), config.hidden());
        key = tensors.matrix("self_attn.k_proj", config.kvWidth(), config.hidden());
        value = tensors.matrix("self_attn.v_proj", config.kvWidth(), config.hidden());
        output = tensors.matrix("self_attn.o_proj", config.hidden(), config.queryWidth());
        mlpNorm = tensors.norm("post_attention_layernorm");
        gate = tensors.matrix("mlp.gate_proj", config.intermediate(), config.hidden());
        up = tensors.matrix("mlp.up_proj", config.intermediate(), config.hidden());
        down = tensors.matrix("mlp.down_proj", config.hidden(), config.intermediate());
    }

    private record LayerTensors(ModelFiles files, String prefix) {

        Matrix matrix(String name, int outputs, int inputs) {
            float[] stored = files.weights().floats(prefix + name + ".weight", outputs, inputs);
            return Matrix.transposed(stored, outputs, inputs);
        }

        RmsNorm norm(String name) {
            ModelConfig config = files.config();
            return new RmsNorm(
                    files.weights().floats(prefix + name + ".weight", config.hidden()), config.normEpsilon());
        }
    }

    /** Computes the part's queries, and stores its keys (after the rotary embedding) and values. */
    void project(TokenBlock.Part part, Workspace workspace) {
        int from = part.from();
        int to = part.to();
        inputNorm.apply(part.hidden(), workspace.normed, from, to);
        query.multiply(workspace.normed, part.queries(), from, to);
        key.multiply(workspace.normed, workspace.keys, from, to);
        value.multiply(workspace.normed, workspace.values, from, to);
        for (int token = from; token < to; token++) {
            int position = part.position(token);
            rotary.rotate(part.queries()[token], position);
            rotary.rotate(workspace.keys[token], position);
            KvBlock block = part.kv().blockOf(position);
            block.write(KvBlock.Half.KEYS, index, position, workspace.keys[token]);
            block.write(KvBlock.Half.VALUES, index, position, workspace.values[token]);
        }
    }

    /** Attention and MLP of the part's tokens. Every token up to the part's last has been projected. */
    void finish(TokenBlock.Part part, Workspace workspace) {
        int from = part.from();
        int to = part.to();
        attention.mix(part, index, workspace);
        output.add(workspace.mixed, part.hidden(), from, to);
        mlpNorm.apply(part.hidden(), workspace.normed, from, to);
        gate.multiply(workspace.normed, workspace.gate, from, to);
        up.multiply(workspace.normed, workspace.up, from, to);
        for (int token = from; token < to; token++) {
            openGate(workspace.gate[token], workspace.up[token]);
        }
        down.add(workspace.gate, part.hidden(), from, to);
    }

    /** {@code gate = SiLU(gate) * up}. */
    private static void openGate(float[] gate, float[] up) {
        for (int i = 0; i < gate.length; i++) {
            gate[i] = gate[i] / (1 + Exponential.of(-gate[i])) * up[i];
        }
    }
}
