package dev.tandem.transfer.wire;

/** A message that nobody answers. */
public sealed interface Notification extends Message {

    /**
     * Wire name {@code ProxyNotif}: one rank has done what it could for a request.
     *
     * @param ok true means committed; also assumed where the sender did not say (upstream)
     * @param reason why not ok
     * @param rank the rank that reports; -1 where it did not say
     */
    record ProxyNotif(String reqId, boolean ok, String reason, long rank) implements Notification {}

    /**
     * Wire name {@code PullDoneSignal}: the sender's pages of this pull may be reused.
     *
     * @param ok false if the read failed
     * @param reason why not ok
     */
    record PullDone(String pullId, boolean ok, String reason) implements Notification {}
}
