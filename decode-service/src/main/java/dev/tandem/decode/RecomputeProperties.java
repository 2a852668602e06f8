package dev.tandem.decode;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How much a decode node may compute of what should have come from prefill.
 *
 * @param maxConcurrent Prompts recomputed at once; beyond, a request is refused with 503.
 * @param maxTokens Longest prompt that is recomputed.
 */
@Validated
@ConfigurationProperties("tandem.recompute")
record RecomputeProperties(
        @Min(0) @Max(10_000) @DefaultValue("4") int maxConcurrent,
        @Min(0) @DefaultValue("8192") int maxTokens) {}
