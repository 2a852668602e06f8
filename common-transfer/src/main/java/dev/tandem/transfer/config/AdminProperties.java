package dev.tandem.transfer.config;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Who may use the admin endpoints.
 *
 * @param token Bearer token of the admin endpoints; if neither this nor a token file is set, one is generated and logged once at start.
 * @param tokenFile File that holds the token.
 */
@Validated
@ConfigurationProperties("tandem.admin")
public record AdminProperties(
        @DefaultValue("") String token, @DefaultValue("") String tokenFile) {}
