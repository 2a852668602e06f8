package dev.tandem.transfer.channel.hccl;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.tandem.transfer.MemoryKind;

/** A second JVM that runs a {@link SimulatedPeer}. */
final class PeerProcess implements AutoCloseable {

    private static final long SECONDS = 30;

    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter commands;

    private PeerProcess(Process process) {
        this.process = process;
        this.answers = process.inputReader();
        this.commands = process.outputWriter();
    }

    /** @param environment added to that of this process */
    static PeerProcess start(int device, MemoryKind kind, Map<String, String> environment) {
        SimulatorLibrary.directory(); // built here, so that two processes do not do it at once
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SimulatedPeer.class.getName()));
        command.addAll(Arrays.asList(Integer.toString(device), kind.name()));
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().putAll(environment);
            PeerProcess peer = new PeerProcess(builder.start());
            peer.answer();
            return peer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String ask(String command) {
        try {
            commands.write(command);
            commands.newLine();
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return answer();
    }

    /** Ends it without letting it clean up. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    @Override
    public void close() {
        try {
            commands.close();
        } catch (IOException e) {
            // It is gone already.
        }
        awaitEnd();
        process.destroyForcibly();
    }

    private void awaitEnd() {
        try {
            boolean _ = process.waitFor(SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String answer() {
        return CompletableFuture.supplyAsync(this::line, Thread::startVirtualThread)
                .orTimeout(SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /** Logs may share the output. */
    private String line() {
        try {
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException("the peer's process has ended");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
