package dev.tandem.prefill;

import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.tandem.openai.TransferParams;
import dev.tandem.prefill.Admission.Place;
import dev.tandem.prefill.Prefiller.Prefilled;
import dev.tandem.transfer.TransferException;

/**
 * Ends one prefill, whichever way it goes, exactly once: its pages are kept or given up, its place is free again, and
 * every proxy that waits is told.
 */
final class Settlement {

    private final Place place;
    private final Notifications notifications;
    private final Set<String> targets;
    private final String reqId;
    private @Nullable Prefilled prefilled;

    Settlement(Place place, Notifications notifications, Optional<TransferParams> params, Set<String> targets) {
        this.place = place;
        this.notifications = notifications;
        this.targets = targets;
        this.reqId = params.map(TransferParams::reqId).orElse("");
    }

    /** Takes over what was computed. */
    Prefilled own(Prefilled computed) {
        prefilled = computed;
        return computed;
    }

    /**
     * Waits for the end of the transfer.
     *
     * @throws TransferException why it failed; everything is given up then
     */
    void settle() throws InterruptedException {
        try {
            if (prefilled != null) {
                prefilled.awaitTransfer();
                prefilled.keep();
            }
            end("");
        } catch (TransferException | InterruptedException e) {
            end(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    /** The prefill itself failed. */
    void failed(Exception cause) {
        end(String.valueOf(cause.getMessage()));
    }

    private void end(String reason) {
        if (prefilled != null) {
            prefilled.close();
        }
        place.close();
        if (!reqId.isEmpty()) {
            notifications.send(targets, reqId, 0, reason);
        }
    }
}
