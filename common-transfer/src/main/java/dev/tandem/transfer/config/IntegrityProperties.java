package dev.tandem.transfer.config;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How KV is verified.
 *
 * @param checksum Whether every chunk in host memory carries a CRC-32C that is checked before it becomes visible.
 */
@Validated
@ConfigurationProperties("tandem.integrity")
public record IntegrityProperties(@DefaultValue("true") boolean checksum) {}
