package dev.tandem.transfer;

import java.util.UUID;

/**
 * Names one attempt to hand over one request's chunks. A retry is a new attempt with a new id.
 *
 * @param value opaque, at most 64 characters
 */
public record TransferId(String value) {

    public TransferId {
        if (value.isEmpty() || value.length() > 64) {
            throw new IllegalArgumentException("transfer_id: %d characters, must be 1..64".formatted(value.length()));
        }
    }

    public static TransferId random() {
        return new TransferId(UUID.randomUUID().toString());
    }

    @Override
    public String toString() {
        return value;
    }
}
