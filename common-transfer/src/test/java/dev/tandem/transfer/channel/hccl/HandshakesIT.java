package dev.tandem.transfer.channel.hccl;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.Deadline;
import dev.tandem.transfer.MemoryKind;
import dev.tandem.transfer.MemoryRegion;
import dev.tandem.transfer.channel.ChannelException;
import dev.tandem.transfer.channel.Connection;
import dev.tandem.transfer.channel.MemoryGuard;
import dev.tandem.transfer.channel.Offer;
import dev.tandem.transfer.channel.TransferBatch;

import static dev.tandem.transfer.channel.Pair.soon;
import static org.assertj.core.api.Assertions.assertThat;

class HandshakesIT {

    private static final int HANDSHAKES = 200;
    private static final int AT_A_TIME = 12;
    private static final int[] PREPARE_FAILURES = {7, 9, 11, 19};
    private static final long BYTES = 2L << 20;
    private static final String READY = "READY";

    private final long seed = System.nanoTime();
    private final Simulator simulator = new Simulator();

    @Test
    void everyHandshakeEndsReadyOrWithATypedFailureAndLeavesNothing() {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Long> outcomes;
        try (SimulatedNode sender = SimulatedNode.on(0, MemoryKind.DEVICE);
                SimulatedNode receiver = SimulatedNode.on(1, MemoryKind.DEVICE);
                ExecutorService handshakes = Executors.newFixedThreadPool(AT_A_TIME)) {
            MemoryRegion from = sender.share("from", BYTES);
            receiver.share("to", BYTES);
            // Whoever is in the registry stays a while, so that a second one would be caught.
            simulator.delay("gate", 1);
            List<CompletableFuture<String>> running = new ArrayList<>();
            for (int number = 0; number < HANDSHAKES; number++) {
                String name = "pair-%d-%d".formatted(seed, number);
                Handshake handshake = new Handshake(name, sender, receiver, from, random.split());
                running.add(CompletableFuture.supplyAsync(() -> run(handshake), handshakes));
            }
            outcomes = running.stream()
                    .map(CompletableFuture::join)
                    .collect(Collectors.groupingBy(outcome -> outcome, Collectors.counting()));
        }

        System.out.printf("%d handshakes: %s%n", HANDSHAKES, outcomes);
        assertThat(outcomes.get(READY)).as("seed %d: %s", seed, outcomes).isBetween(50L, HANDSHAKES - 1L);
        assertThat(outcomes.keySet())
                .as("seed %d", seed)
                .isSubsetOf(READY, "REFUSED", "INVALID", "TIMED_OUT", "BROKEN", "CLOSED");
        simulator.assertCleanEnd();
    }

    private record Handshake(
            String name, SimulatedNode sender, SimulatedNode receiver, MemoryRegion from, SplittableRandom random) {

        Offer offer() {
            return receiver.channel().offer(name, sender.channel().greeting(), MemoryGuard.CLOSED);
        }

        Connection connect(byte[] offer, Deadline deadline) {
            return sender.channel().connect(name, offer, MemoryGuard.CLOSED, deadline);
        }
    }

    /** @return READY, or the reason of the failure */
    private String run(Handshake handshake) {
        SplittableRandom random = handshake.random();
        if (random.nextInt(8) == 0) {
            simulator.fail("HcclCommPrepare", 1 + random.nextInt(3), PREPARE_FAILURES[random.nextInt(4)]);
        }
        Duration limit = Duration.ofMillis(1500);
        try (Offer offer = handshake.offer()) {
            CompletableFuture<Connection> accepted =
                    later(random.nextInt(20), () -> offer.accept(Deadline.after(limit)));
            CompletableFuture<Connection> connected =
                    later(random.nextInt(20), () -> handshake.connect(offer.meta(), Deadline.after(limit)));
            if (random.nextInt(20) == 0) {
                cancel(offer);
            }
            return outcome(handshake, accepted, connected);
        }
    }

    private static void cancel(Offer offer) {
        offer.close();
    }

    private static String outcome(
            Handshake handshake, CompletableFuture<Connection> accepted, CompletableFuture<Connection> connected) {
        try {
            transfer(handshake, accepted.join(), connected.join());
            return READY;
        } catch (CompletionException e) {
            return e.getCause() instanceof ChannelException typed
                    ? typed.reason().name()
                    : "untyped: " + e;
        } finally {
            Stream.of(accepted, connected)
                    .map(half -> half.handle((connection, _) -> connection).join())
                    .filter(connection -> connection != null)
                    .forEach(connection -> assertThat(connection.fence(soon())).isTrue());
        }
    }

    private static void transfer(Handshake handshake, Connection receiver, Connection sender) {
        receiver.importMemory(handshake.sender().channel().exportMemory());
        TransferBatch batch = new TransferBatch();
        batch.add(
                handshake.from(),
                0,
                sender.importMemory(handshake.receiver().channel().exportMemory())
                        .getFirst(),
                0,
                BYTES,
                0);
        sender.write(batch, soon());
    }

    private static CompletableFuture<Connection> later(int millis, Supplier<Connection> half) {
        return CompletableFuture.supplyAsync(
                () -> {
                    LockSupport.parkNanos(millis * 1_000_000L);
                    return half.get();
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }
}
