package dev.tandem.decode;

import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

import dev.tandem.decode.ServicePair.Reply;
import dev.tandem.engine.Engine;

import static org.assertj.core.api.Assertions.assertThat;

/** The pair, as two processes: what goes in at the front door comes out as one process would say it. */
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PairIT {

    private static ServicePair pair;

    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();

    @BeforeAll
    static void start() {
        pair = ServicePair.start();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @AfterEach
    void everythingIsBackAtItsBaseline() {
        pair.awaitBaseline();
    }

    private static JsonNode oracle() throws Exception {
        try (InputStream in = Engine.class.getResourceAsStream("oracle.json")) {
            return ServicePair.JSON.readTree(in);
        }
    }

    @Test
    @Order(1)
    void everyOracleSequenceComesOutOfThePairAndOutOfOneNodeAlone() throws Exception {
        for (JsonNode each : oracle()) {
            int count = each.path("greedy_tokens").size();
            Reply handedOver = pair.greedy(each.path("prompt").asString(), count);
            Reply local = pair.greedy(each.path("prompt").asString(), count, "X-Tandem-Local", "true");
            assertThat(handedOver.text()).isEqualTo(each.path("greedy_text").asString());
            assertThat(local.text()).isEqualTo(handedOver.text());
            assertThat(local.kv()).isEqualTo("local");
            assertThat(handedOver.kv()).isEqualTo(each.path("prompt_tokens").asInt() == 1 ? "reused" : "transferred");
        }
    }

    @Test
    @Order(2)
    void promptsAtEveryBoundaryOfAChunkAreHandedOverExactly() {
        for (int bytes : new int[] {0, 1, 63, 64, 65, 127, 128, 129, 1000}) {
            String prompt = "abcdefghij klmnopq. ".repeat(50).substring(0, bytes);
            Reply handedOver = pair.greedy(prompt, 16);
            Reply local = pair.greedy(prompt, 16, "X-Tandem-Local", "true");
            assertThat(handedOver.text()).as("%d bytes", bytes).isEqualTo(local.text());
            assertThat(handedOver.kv()).as("%d bytes", bytes).isIn("transferred", "reused");
        }
    }

    @Test
    @Order(3)
    void aPromptSentAgainIsNeitherPrefilledNorSent() {
        pair.greedy("It was the whiteness of the whale", 8);
        Reply again = pair.greedy("It was the whiteness of the whale", 8);
        assertThat(again.kv()).isEqualTo("reused");
    }

    @Test
    @Order(4)
    void sampledTokensAreThoseOfOneNodeAlone() {
        Map<String, Object> body =
                Map.of("prompt", "The sea was", "max_tokens", 40, "temperature", 0.9, "top_p", 0.8, "seed", 7);
        assertThat(pair.complete(body).text())
                .isEqualTo(pair.complete(body, "X-Tandem-Local", "true").text());
    }

    @Test
    @Order(5)
    void zeroTokensAreAnAnswerToo() {
        Reply reply = pair.greedy("Queequeg", 0);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.text()).isEmpty();
    }

    @Test
    @Order(6)
    void eightClientsAtOnceGetTheirOwnTokens() throws Exception {
        List<Future<Boolean>> answers = new ArrayList<>();
        for (int client = 0; client < 8; client++) {
            String prompt = "Client %d asks: %s".formatted(client, "of the whale and the sea ".repeat(client));
            answers.add(clients.submit(() -> pair.greedy(prompt, 24)
                    .text()
                    .equals(pair.greedy(prompt, 24, "X-Tandem-Local", "true").text())));
        }
        for (Future<Boolean> answer : answers) {
            assertThat(answer.get(120, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @Order(7)
    void prefillKilledUnderLoadEndsEveryRequestAndComesBackUnaided() throws Exception {
        // Given
        List<Future<Reply>> load = new ArrayList<>();
        for (int client = 0; client < 8; client++) {
            String prompt = "Load %d before the kill. %s".formatted(client, "the ship sailed on and on, ".repeat(20));
            load.add(clients.submit(() -> pair.greedy(prompt, 16, "X-Request-Timeout", "20s")));
        }

        // When
        pair.killPrefill();

        // Then
        for (Future<Reply> each : load) {
            Reply reply = each.get(22, TimeUnit.SECONDS);
            boolean typed =
                    !reply.body().path("error").path("code").asString("").isEmpty();
            assertThat(reply.status() == 200 || typed).as("%s", reply).isTrue();
        }
        pair.restartPrefill();
        assertThat(pair.greedy("A prompt after prefill came back", 8).kv()).isEqualTo("transferred");
    }

    @Test
    @Order(8)
    void decodeKilledAndRestartedOnItsPortsServesTheNextRequestUnaided() throws Exception {
        // Given
        pair.greedy("Before decode is killed", 4);

        // When
        pair.killDecode();
        pair.restartDecode();

        // Then
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(pair.greedy("After decode came back " + System.nanoTime(), 8)
                                .kv())
                        .isEqualTo("transferred"));
    }
}
