package dev.tandem.prefill;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What this prefill node takes on.
 *
 * @param maxConcurrent Prompts computed or handed over at once.
 * @param maxQueued Prompts that may wait for that; beyond, a request is refused with 503.
 * @param requestTimeout Longest time one request may take, its transfer included.
 */
@Validated
@ConfigurationProperties("tandem.prefill")
record PrefillProperties(
        @Min(1) @Max(10_000) @DefaultValue("32") int maxConcurrent,
        @Min(0) @Max(100_000) @DefaultValue("256") int maxQueued,
        @NotNull @DefaultValue("120s") Duration requestTimeout) {}
