package dev.tandem.transfer;

import java.util.UUID;

/**
 * Random id of one process start. Two equal addresses with different incarnations are different processes.
 *
 * @param value opaque, at most 64 characters
 */
public record Incarnation(String value) {

    public Incarnation {
        if (value.isEmpty() || value.length() > 64) {
            throw new IllegalArgumentException("incarnation: %d characters, must be 1..64".formatted(value.length()));
        }
    }

    public static Incarnation random() {
        return new Incarnation(UUID.randomUUID().toString());
    }

    @Override
    public String toString() {
        return value;
    }
}
