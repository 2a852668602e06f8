package dev.tandem.decode;

import java.net.URI;
import java.time.Duration;
import java.util.List;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How client requests are served.
 *
 * @param prefillUrls Base URLs of the prefill nodes; with none, every request is computed here.
 * @param requestTimeout Longest time one request may take.
 * @param onFailure What to do when the KV does not come: recompute it here, or fail the request.
 * @param attempts How often a prefill is tried before that.
 * @param maxConcurrent Requests under way at once; beyond, a request is refused with 503.
 * @param defaultMaxTokens Tokens generated when a request does not say.
 */
@Validated
@ConfigurationProperties("tandem.front-door")
record FrontDoorProperties(
        @DefaultValue List<URI> prefillUrls,
        @NotNull @DefaultValue("120s") Duration requestTimeout,
        @NotNull @DefaultValue("recompute") OnFailure onFailure,
        @Min(1) @Max(10) @DefaultValue("2") int attempts,
        @Min(1) @Max(1_000_000) @DefaultValue("10000") int maxConcurrent,
        @Min(0) @DefaultValue("16") int defaultMaxTokens) {

    FrontDoorProperties {
        prefillUrls = List.copyOf(prefillUrls);
        for (URI url : prefillUrls) {
            if (!("http".equals(url.getScheme()) || "https".equals(url.getScheme())) || url.getHost() == null) {
                throw new IllegalArgumentException(
                        "tandem.front-door.prefill-urls: %s is not of the form http://host:port".formatted(url));
            }
        }
    }

    enum OnFailure {
        RECOMPUTE,
        FAIL
    }
}
