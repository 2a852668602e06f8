package dev.tandem.transfer.config;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Which engine computes.
 *
 * @param type The engine: reference runs a small model in this process.
 * @param modelPath Folder with config.json and model.safetensors; empty means the model that comes with Tandem.
 * @param chunkTokens Tokens of a full chunk; the same on every node.
 * @param threads Threads that compute; 0 means one per processor.
 */
@Validated
@ConfigurationProperties("tandem.engine")
public record EngineProperties(
        @NotNull @DefaultValue("reference") Type type,
        @DefaultValue("") String modelPath,
        @Min(1) @Max(65_536) @DefaultValue("64") int chunkTokens,
        @Min(0) @Max(1024) @DefaultValue("0") int threads) {

    /** The engines. */
    public enum Type {
        REFERENCE
    }
}
