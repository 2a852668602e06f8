package dev.tandem.transfer.channel.hccl;

/**
 * What one side's communicator is made from.
 *
 * @param name the same on both sides, and never used before
 * @param rankTable JSON, see {@link RankTable}
 * @param rank of this side
 */
record CommunicatorPlan(String name, String rankTable, int rank, HcclSettings.Communicators settings) {

    CommunicatorPlan {
        if (!name.matches("[\\x21-\\x7E]{1,127}")) {
            throw new IllegalArgumentException("hccl communicator: '%s' cannot be its name".formatted(name));
        }
    }

    int remoteRank() {
        return 1 - rank;
    }

    boolean isClient() {
        return rank == RankTable.CLIENT;
    }
}
