package dev.tandem.prefill;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.springframework.stereotype.Component;

import dev.tandem.openai.ApiException;
import dev.tandem.openai.TransferParams;
import dev.tandem.transfer.config.KvReadyProperties;
import dev.tandem.transfer.wire.KvReadyNotifier;
import dev.tandem.transfer.wire.Notification;

/** Tells foreign proxies how a request's transfer ended: always, since they wait without a deadline. */
@Component
class Notifications {

    private final KvReadyProperties properties;
    private final KvReadyNotifier notifier;

    Notifications(KvReadyProperties properties, KvReadyNotifier notifier) {
        this.properties = properties;
        this.notifier = notifier;
    }

    /**
     * Who wants to know of this request: the configured proxies and the one it names.
     *
     * @throws ApiException 400 when it names one that is not allowed
     */
    Set<String> targets(TransferParams params) {
        var targets = new HashSet<>(properties.notifyUrls());
        params.notifyUrl().ifPresent(url -> {
            if (!properties.allowedUrls().contains(url)) {
                throw ApiException.badField(
                        "kv_transfer_params.disagg_spec.notify_url",
                        "%s is not in tandem.kv-ready.allowed-urls".formatted(url));
            }
            targets.add(url);
        });
        return targets;
    }

    /** @param reason why not ok; empty if it is */
    void send(Set<String> targets, String reqId, int rank, String reason) {
        var notification = new Notification.ProxyNotif(reqId, reason.isEmpty(), reason, rank);
        List.copyOf(targets).forEach(target -> notifier.send(target, notification));
    }
}
