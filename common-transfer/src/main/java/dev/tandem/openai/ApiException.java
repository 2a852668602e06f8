package dev.tandem.openai;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.TransferException;

/** A request that ends in an OpenAI-style error: what the client sees, and nothing of our insides. */
public class ApiException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final @Nullable String param;
    private final @Nullable Duration retryAfter;

    /**
     * @param status HTTP status, 400 to 599
     * @param code machine-readable kind of failure
     * @param param the field at fault, if it is one
     * @param retryAfter when retrying may help
     */
    public ApiException(
            int status,
            String code,
            String message,
            @Nullable String param,
            @Nullable Duration retryAfter,
            @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
        this.code = code;
        this.param = param;
        this.retryAfter = retryAfter;
    }

    /** A request that can never succeed as it stands. */
    public static ApiException badField(String param, String message) {
        return new ApiException(400, "invalid_value", param + ": " + message, param, null, null);
    }

    /** The service cannot take the request now. */
    public static ApiException busy(String code, String message, Duration retryAfter) {
        return new ApiException(503, code, message, null, retryAfter, null);
    }

    /** What a failed transfer means to the client. */
    public static ApiException of(TransferException failure) {
        String code = "kv_" + failure.code().name().toLowerCase(Locale.ROOT);
        String message = String.valueOf(failure.getMessage());
        return switch (failure.code()) {
            case POOL_FULL, BACKING_OFF, DRAINING, PEER_LOST, SUPERSEDED, STALE, LEASE_EXPIRED ->
                new ApiException(503, code, message, null, Duration.ofSeconds(1), failure);
            case BAD_REQUEST -> new ApiException(400, code, message, null, null, failure);
            case TOO_LARGE -> new ApiException(400, code, message, "prompt", null, failure);
            case TIMEOUT, ACCEPT_TIMEOUT -> new ApiException(504, code, message, null, null, failure);
            default -> new ApiException(502, code, message, null, null, failure);
        };
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** The body: {@code {"error": {"message", "type", "param", "code"}}}. */
    public ErrorBody body() {
        String type = status < 500 ? "invalid_request_error" : "server_error";
        return new ErrorBody(new ErrorBody.Detail(String.valueOf(getMessage()), type, param, code));
    }

    /** An OpenAI-style error body. */
    public record ErrorBody(Detail error) {

        /** What went wrong. */
        public record Detail(
                String message, String type, @Nullable String param, String code) {}
    }
}
