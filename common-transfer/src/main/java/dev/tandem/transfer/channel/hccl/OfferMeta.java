package dev.tandem.transfer.channel.hccl;

/**
 * What the receiver answers: everything the sender needs to make its half of the communicator.
 *
 * @param name of the communicator
 * @param rankTable see {@link RankTable}
 * @param probe the receiver's probe page
 * @param accepted what the receiver shows once it has accepted
 */
record OfferMeta(String name, String rankTable, ProbePage.Target probe, ProbePage.Target accepted) {

    private static final String PRINTABLE = "[\\x20-\\x7E]{1,8192}";

    OfferMeta {
        if (!rankTable.matches(PRINTABLE)) {
            throw new IllegalArgumentException("rank table: not acceptable");
        }
    }

    byte[] toBytes() {
        return Packing.OFFER.pack(out -> {
            out.writeUTF(name);
            out.writeUTF(rankTable);
            probe.writeTo(out);
            accepted.writeTo(out);
        });
    }

    static OfferMeta from(byte[] bytes) {
        return Packing.OFFER.unpack(
                bytes,
                in -> new OfferMeta(in.readUTF(), in.readUTF(), ProbePage.Target.from(in), ProbePage.Target.from(in)));
    }
}
