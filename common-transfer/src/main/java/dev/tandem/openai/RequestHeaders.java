package dev.tandem.openai;

import java.time.Duration;
import java.util.UUID;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.tandem.transfer.Deadline;

/** The headers both services take and give. */
public final class RequestHeaders {

    /** Correlates; taken from the client, made up if it sends none, and returned. Never an identity of ours. */
    public static final String ID = "X-Request-Id";

    /** How long the client waits: seconds, or a number with unit {@code ms} or {@code s}. Shortens the service's own limit only. */
    public static final String TIMEOUT = "X-Request-Timeout";

    /** {@code true}: this node computes everything itself, so that anyone can compare. */
    public static final String LOCAL = "X-Tandem-Local";

    /** How the KV came about. */
    public static final String KV = "X-Tandem-Kv";

    private static final Pattern ID_FORM = Pattern.compile("[\\x21-\\x7e]{1,128}");
    private static final Pattern TIMEOUT_FORM = Pattern.compile("(\\d{1,9})(\\.\\d{1,6})?(ms|s)?");

    private RequestHeaders() {}

    /** @throws ApiException 400 when the given id is not printable or too long */
    public static String id(@Nullable String given) {
        if (given == null) {
            return UUID.randomUUID().toString();
        }
        if (!ID_FORM.matcher(given).matches()) {
            throw ApiException.badField(ID, "must be 1 to 128 printable ASCII characters without spaces");
        }
        return given;
    }

    /** The request's deadline: that of the service, or the client's if that is sooner. */
    public static Deadline deadline(@Nullable String given, Duration longest) {
        Duration wanted = given == null ? longest : parse(given);
        return Deadline.after(wanted.compareTo(longest) < 0 ? wanted : longest);
    }

    private static Duration parse(String given) {
        var form = TIMEOUT_FORM.matcher(given.strip());
        if (!form.matches()) {
            throw ApiException.badField(
                    TIMEOUT, "%s is not a number of seconds, such as 30, 0.5s or 1500ms".formatted(given));
        }
        String fraction = form.group(2) == null ? "" : form.group(2);
        double value = Double.parseDouble(form.group(1) + fraction);
        double millis = "ms".equals(form.group(3)) ? value : value * 1000;
        if (millis < 1) {
            throw ApiException.badField(TIMEOUT, given + " leaves no time");
        }
        return Duration.ofMillis((long) millis);
    }
}
