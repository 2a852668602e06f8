package dev.tandem.transfer.config;

import java.time.Duration;
import java.util.List;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How KV-ready is told and kept.
 *
 * @param notifyUrls Foreign proxies, host:port, that get a ProxyNotif for every request; empty sends none.
 * @param allowedUrls Addresses, host:port, that a request may name in disagg_spec.notify_url.
 * @param keepUnclaimed How long an arrival that no request expects yet is kept.
 * @param maxUnclaimed How many of those are kept.
 */
@Validated
@ConfigurationProperties("tandem.kv-ready")
public record KvReadyProperties(
        @DefaultValue List<String> notifyUrls,
        @DefaultValue List<String> allowedUrls,
        @NotNull @DefaultValue("30s") Duration keepUnclaimed,
        @Min(0) @Max(1_000_000) @DefaultValue("10000") int maxUnclaimed) {}
