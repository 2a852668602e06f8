package dev.tandem.engine;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ModelConfigTest {

    private static final String CONFIG = """
            {"model_type": "llama", "hidden_act": "silu", "attention_bias": false, "vocab_size": 258,
             "hidden_size": 128, "num_hidden_layers": 6, "num_attention_heads": 4, "num_key_value_heads": 2,
             "head_dim": 32, "intermediate_size": 384, "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
             "max_position_embeddings": 1024, "bos_token_id": 256, "eos_token_id": 257, "tie_word_embeddings": true}""";

    @Test
    void dimensionsAreRead() {
        assertThat(parse(CONFIG)).isEqualTo(new ModelConfig(6, 128, 4, 2, 32, 384, 1024, 1e-5f, 10_000));
    }

    @ParameterizedTest
    @CsvSource({
        "'\"llama\"', '\"gemma\"', model_type is gemma",
        "'\"silu\"', '\"gelu\"', hidden_act is gelu",
        "'\"attention_bias\": false', '\"attention_bias\": true', attention_bias",
        "'\"attention_bias\": false', '\"rope_scaling\": {}', rope_scaling",
        "'\"vocab_size\": 258', '\"vocab_size\": 32000', 'vocab_size is 32000, must be 258'",
        "'\"bos_token_id\": 256', '\"bos_token_id\": 1', bos_token_id is 1",
        "'\"eos_token_id\": 257', '\"eos_token\": 257', eos_token_id is missing",
        "'\"tie_word_embeddings\": true', '\"tie_word_embeddings\": false', tie_word_embeddings is false",
        "'\"hidden_size\": 128', '\"hidden_size\": 0', hidden_size is 0",
        "'\"hidden_size\": 128', '\"hidden_size\": 128.5', hidden_size is 128.5",
        "'\"hidden_size\": 128', '\"hidden_size\": 70000', hidden_size is 70000",
        "'\"hidden_size\": 128', '\"hidden_size\": \"128\"', hidden_size is",
        "'\"num_key_value_heads\": 2', '\"num_key_value_heads\": 3', num_attention_heads 4 is no multiple",
        "'\"head_dim\": 32', '\"head_dim\": 31', head_dim 31 is odd",
        "'\"num_attention_heads\": 4', '\"num_attention_heads\": 65536', too many numbers",
        "'\"rms_norm_eps\": 1e-05', '\"rms_norm_eps\": -1', rms_norm_eps is -1",
        "'\"rope_theta\": 10000.0', '\"rope_theta\": null', rope_theta is null",
    })
    void unsupportedOrSenselessFieldIsNamed(String field, String other, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(CONFIG.replace(field, other)))
                .withMessageStartingWith("config.json: ")
                .withMessageContaining(message);
    }

    @Test
    void whatIsNotAnObjectIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> parse("[]")).withMessageContaining("model_type");
        assertThatIllegalArgumentException().isThrownBy(() -> parse("{")).withMessageContaining("not JSON");
    }

    @Test
    void missingFileIsNamedWithItsFolder(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("config.json"), CONFIG);

        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> ModelFiles.read(Optional.of(folder)))
                .withMessageContaining("model.safetensors")
                .withMessageContaining(folder.toString());
    }

    private static ModelConfig parse(String json) {
        return ModelConfig.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
