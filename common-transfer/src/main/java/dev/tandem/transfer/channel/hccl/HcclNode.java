package dev.tandem.transfer.channel.hccl;

/** What the connections of one device share. */
record HcclNode(
        HcclRuntime runtime,
        DeviceThreads threads,
        DeviceLane lane,
        RegisteredMemory memory,
        ProbePage probePage,
        OpenConnections connections) {}
