package dev.tandem.transfer.wire;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UpstreamMessagesTest {

    /** Messages that Tandem does not speak. */
    private static final Set<String> NOT_OURS = Set.of("HcclNewThing", "P2PInitSideMsg", "P2PInitSideRetMsg");

    /**
     * Where Tandem is stricter than upstream: Python's integers have no end. No page index, count or port is larger than
     * 2^63-1, so such a message is refused rather than wrapped into a wrong number.
     */
    private static final Set<String> REFUSED_BY_TANDEM_ONLY = Set.of("uint64 above 2^63");

    private final MessageCodec codec = new MessageCodec();
    private final MessageDecoder decoder = new MessageDecoder();

    static Stream<Fixtures.Recorded> messagesOfOurs() {
        return Fixtures.messages().filter(UpstreamMessagesTest::isOurs);
    }

    static Stream<Fixtures.Recorded> otherPayloads() {
        return Fixtures.messages().filter(message -> !isOurs(message));
    }

    static Stream<Fixtures.Odd> oddities() {
        return Fixtures.oddities();
    }

    private static boolean isOurs(Fixtures.Recorded message) {
        return !message.type().isEmpty() && !NOT_OURS.contains(message.type());
    }

    @Test
    void allFixturesAreThere() {
        assertThat(messagesOfOurs()).hasSize(49);
        assertThat(otherPayloads()).hasSize(13);
        assertThat(oddities()).hasSize(39);
    }

    @ParameterizedTest
    @MethodSource("messagesOfOurs")
    void anUpstreamMessageKeepsItsBytes(Fixtures.Recorded recorded) {
        Message message = decoder.decode(recorded.bytes());

        assertThat(MessageType.of(message).wireName()).isEqualTo(recorded.type());
        assertThat(codec.encode(message)).isEqualTo(recorded.bytes());
    }

    @ParameterizedTest
    @MethodSource("otherPayloads")
    void whatIsNoMessageOfOursIsRefused(Fixtures.Recorded recorded) {
        assertThatThrownBy(() -> decoder.decode(recorded.bytes())).isInstanceOf(MalformedMessageException.class);
    }

    @ParameterizedTest
    @MethodSource("oddities")
    void anOddPayloadIsTakenAsUpstreamTakesIt(Fixtures.Odd odd) {
        if (odd.accepted() && !REFUSED_BY_TANDEM_ONLY.contains(odd.name())) {
            assertThat(decoder.decode(odd.bytes())).isEqualTo(expected(odd.name()));
        } else {
            assertThatThrownBy(() -> decoder.decode(odd.bytes())).isInstanceOf(MalformedMessageException.class);
        }
    }

    private static Message expected(String name) {
        return switch (name) {
            case "duplicate key" -> new Notification.ProxyNotif("8", true, "", -1);
            case "AscendAllocResponse without alloc_failed (default)" ->
                new TransferReply.Alloc(List.of(), List.of(1L), List.of("u"), false, 0, List.of(), "", "");
            case "PullReadyDoneAck without alloc_failed (default)" ->
                new TransferReply.PullAck(List.of(), false, "", "");
            case "int 5 as int64", "int 5 as uint16" -> new TransferReply.PullAck(List.of(5L), false, "", "");
            // Upstream's type is int, so -1 is well-formed; whether it names a page is not the codec's question.
            case "negative int" -> new TransferReply.PullAck(List.of(-1L), false, "", "");
            case "HcclErrorResponse with ok missing (default)" -> new HandshakeReply.Error(false, "", "");
            case "bytes field given as bin32" -> new HandshakeReply.Init(OpaqueBytes.of(new byte[] {'a', 'b', 'c'}));
            case "AllocRequest of a newer LMCache (req_id, is_last_batch, total_chunks extra)" ->
                new TransferRequest.Alloc(
                        new TransferRequest.Chunks(List.of("m@1@0@a@half"), 1, List.of(2L, 2L, 16L, 64L), "half", 16),
                        "1",
                        true,
                        1,
                        Stamp.NONE,
                        "",
                        false);
            default -> new Notification.ProxyNotif("7", true, "", -1);
        };
    }
}
