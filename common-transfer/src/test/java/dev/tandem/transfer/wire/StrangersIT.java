package dev.tandem.transfer.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.tandem.transfer.Deadline;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever a stranger writes to a port, the others are served. */
@Timeout(60)
class StrangersIT {

    private static final int MAX_MESSAGE_BYTES = 64 << 10;

    private final ZmqSockets sockets = new ZmqSockets(new CountedEvents(), MAX_MESSAGE_BYTES);
    private final RequestServer server = new RequestServer(sockets, "127.0.0.1", 0, new ScriptedPort());
    private final RequestClient honest = new RequestClient(sockets, "127.0.0.1", server.port());

    @BeforeEach
    void anHonestClientIsServed() throws InterruptedException {
        assertHonestIsServed();
    }

    @AfterEach
    void closeAll() {
        sockets.close();
    }

    private void assertHonestIsServed() throws InterruptedException {
        var deadline = Deadline.after(Duration.ofSeconds(10));
        assertThat(honest.ask(ScriptedPort.request("honest", "now"), deadline).message())
                .isEqualTo("honest");
        assertThat(server.alive() && sockets.alive()).isTrue();
    }

    /** Of a frame with an eight-byte length; as a signed number the first three are negative. */
    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, 0x8000_0000_7fff_ffffL, Long.MAX_VALUE, Integer.MAX_VALUE, 1 << 20})
    void aClaimedLengthBreaksNothing(long length) throws Exception {
        try (Socket stranger = greeted()) {
            OutputStream out = stranger.getOutputStream();
            out.write(2);
            out.write(ByteBuffer.allocate(Long.BYTES).putLong(length).array());
            out.write(new byte[100]);
            out.flush();
            assertHonestIsServed();
        }
        assertHonestIsServed();
    }

    @Test
    void whatIsNotZmtpBreaksNothing() throws Exception {
        for (String text : List.of("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u0016\u0003\u0001", "\0", "")) {
            try (Socket stranger = connected()) {
                stranger.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
                assertHonestIsServed();
            }
        }
        assertHonestIsServed();
    }

    @Test
    void aGreetingThatNeverEndsHoldsUpNobody() throws Exception {
        try (Socket stranger = connected()) {
            stranger.getOutputStream().write(Arrays.copyOf(greeting(), 11));
            assertHonestIsServed();
        }
    }

    @Test
    void randomBytesBehindAGreetingBreakNothing() throws Exception {
        long seed = 11;
        var random = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            var bytes = new byte[1 + random.nextInt(200)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                bytes[0] = (byte) random.nextInt(8);
            }
            try (Socket stranger = random.nextBoolean() ? greeted() : connected()) {
                stranger.getOutputStream().write(bytes);
            } catch (IOException e) {
                assertThat(e)
                        .as("the server may close first, seed %d round %d", seed, round)
                        .isNotNull();
            }
        }
        assertHonestIsServed();
    }

    @Test
    void aPingThatIsTooShortBreaksNothing() throws Exception {
        try (Socket stranger = greeted()) {
            stranger.getOutputStream().write(new byte[] {4, 5, 4, 'P', 'I', 'N', 'G'});
            assertHonestIsServed();
            stranger.getOutputStream().write(new byte[] {4, 6, 4, 'P', 'I', 'N', 'G', 0});
            assertHonestIsServed();
        }
        assertHonestIsServed();
    }

    private Socket connected() throws IOException {
        var socket = new Socket(InetAddress.getByName("127.0.0.1"), server.port());
        socket.setSoTimeout(10_000);
        return socket;
    }

    /** A connection past ZMTP's greeting and its READY command, as a DEALER. */
    private Socket greeted() throws IOException {
        Socket socket = connected();
        socket.getOutputStream().write(greeting());
        assertThat(socket.getInputStream().readNBytes(64)).hasSize(64);
        byte[] ready = "\u0005READY\u000bSocket-Type\0\0\0\u0006DEALER".getBytes(StandardCharsets.ISO_8859_1);
        socket.getOutputStream().write(new byte[] {4, (byte) ready.length});
        socket.getOutputStream().write(ready);
        return socket;
    }

    private static byte[] greeting() {
        byte[] greeting = new byte[64];
        greeting[0] = (byte) 0xff;
        greeting[9] = 0x7f;
        greeting[10] = 3;
        System.arraycopy("NULL".getBytes(StandardCharsets.US_ASCII), 0, greeting, 12, 4);
        return greeting;
    }
}
