package dev.tandem.transfer.config;

import java.time.Duration;

import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.validation.annotation.Validated;

/**
 * How pages are allocated.
 *
 * @param longestWait How long an allocation waits for free pages.
 */
@Validated
@ConfigurationProperties("tandem.alloc")
public record AllocProperties(
        @Name("wait") @NotNull @DefaultValue("2s") Duration longestWait) {}
