package dev.tandem.transfer.channel.hccl;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.ChannelException.Reason;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.Offer;

/** Nothing native exists before {@link #accept}: what arms the rendezvous is that both sides know its name. */
final class HcclOffer implements Offer {

    private final byte[] meta;
    private final Rendezvous rendezvous;

    HcclOffer(byte[] meta, Rendezvous rendezvous) {
        this.meta = meta;
        this.rendezvous = rendezvous;
    }

    @Override
    public byte[] meta() {
        return meta.clone();
    }

    @Override
    public Connection accept(Deadline deadline) {
        return rendezvous.meet(deadline);
    }

    @Override
    public void close() {
        rendezvous.cancel(new ChannelException(Reason.CLOSED, "hccl offer: closed"));
    }
}
