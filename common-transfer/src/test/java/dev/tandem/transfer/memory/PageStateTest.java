package dev.tandem.transfer.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static dev.tandem.transfer.memory.PageState.COMMITTED;
import static dev.tandem.transfer.memory.PageState.FREE;
import static dev.tandem.transfer.memory.PageState.QUARANTINED;
import static dev.tandem.transfer.memory.PageState.RESERVED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PageStateTest {

    record Move(PageState from, PageState to) {}

    private static final Set<Move> LEGAL = Set.of(
            new Move(FREE, RESERVED),
            new Move(RESERVED, FREE),
            new Move(RESERVED, COMMITTED),
            new Move(RESERVED, QUARANTINED),
            new Move(COMMITTED, FREE),
            new Move(QUARANTINED, FREE));

    static List<Move> legalMoves() {
        return List.copyOf(LEGAL);
    }

    static List<Move> forbiddenMoves() {
        var moves = new ArrayList<Move>();
        for (PageState from : PageState.values()) {
            for (PageState to : PageState.values()) {
                moves.add(new Move(from, to));
            }
        }
        moves.removeAll(LEGAL);
        return moves;
    }

    @ParameterizedTest
    @MethodSource("legalMoves")
    void legalMoveIsMade(Move move) {
        PageSlot slot = slotIn(move.from());

        slot.become(move.to());

        assertThat(slot.state()).isEqualTo(move.to());
    }

    @ParameterizedTest
    @MethodSource("forbiddenMoves")
    void forbiddenMoveNamesThePageAndBothStates(Move move) {
        PageSlot slot = slotIn(move.from());

        assertThatIllegalStateException()
                .isThrownBy(() -> slot.become(move.to()))
                .withMessage("page 1 of buffer kv-0: %s cannot become %s", move.from(), move.to());
        assertThat(slot.state()).isEqualTo(move.from());
    }

    @Test
    void pinnedPageCannotBecomeFree() {
        PageSlot slot = slotIn(COMMITTED);
        slot.pin();

        assertThatIllegalStateException()
                .isThrownBy(() -> slot.become(FREE))
                .withMessage("page 1 of buffer kv-0: in use, cannot become FREE");
    }

    @Test
    void pageBeingWrittenCannotBecomeCommitted() {
        PageSlot slot = slotIn(RESERVED);
        slot.beginWrite(1, 7);

        assertThatIllegalStateException()
                .isThrownBy(() -> slot.become(COMMITTED))
                .withMessage("page 1 of buffer kv-0: in use, cannot become COMMITTED");
    }

    @Test
    void pinIsNotDroppedTwice() {
        PageSlot slot = slotIn(COMMITTED);
        slot.pin();
        slot.unpin();

        assertThatIllegalStateException().isThrownBy(slot::unpin);
    }

    @Test
    void readUnderWayIsNotDroppedByAnUnpin() {
        PageSlot slot = slotIn(COMMITTED);
        slot.beginRead();

        assertThatIllegalStateException().isThrownBy(slot::unpin);
    }

    private static PageSlot slotIn(PageState state) {
        var slot = new PageSlot(new Page(Pool.buffer("kv-0", 2, 8), 1), 1);
        if (state != FREE) {
            slot.become(RESERVED);
            slot.hold(Pool.keys("a").getFirst(), 8, 7);
        }
        if (state != slot.state()) {
            slot.become(state);
        }
        return slot;
    }
}
