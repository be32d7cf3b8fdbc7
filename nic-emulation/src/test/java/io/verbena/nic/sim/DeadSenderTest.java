package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.QueuePair;
import io.verbena.nic.verbs.NicCounter;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A sender that dies at any step of a direct append holds no memory of the owner, whenever the owner closes or resets
 * the queue pair: also before it sees that the sender is dead.
 */
@Timeout(180)
class DeadSenderTest {
    private static final int MAX_STEPS = 100;
    private static final int VICTIM = -7;

    private enum End {
        NONE,
        CLOSE,
        RESTART,
        RESET,
        /** Another peer has the queue pair. */
        ANOTHER
    }

    private final int[] left = new int[1];

    @Test
    void aQueuePairThatStaysIsAbandoned() {
        dieAtEachStep(End.NONE);
    }

    @Test
    void soIsOneThatIsClosedBeforeTheDeathIsSeen() {
        dieAtEachStep(End.CLOSE);
    }

    @Test
    void soIsOneThatIsResetBeforeTheDeathIsSeen() {
        dieAtEachStep(End.RESET);
    }

    @Test
    void soIsOneWhoseSenderIsBackBeforeTheDeathIsSeen() {
        dieAtEachStep(End.RESTART);
    }

    /** The slot is the dead one's until its claim is closed; the new peer's messages come as packets meanwhile. */
    @Test
    void soIsOneThatIsGivenToAnotherPeerAtOnce() {
        dieAtEachStep(End.ANOTHER);
    }

    private void dieAtEachStep(End end) {
        int step = 0;
        while (diesAt(step, end)) {
            step++;
            assertThat(step).isLessThan(MAX_STEPS);
        }
        assertThat(step).isGreaterThan(6); // slot, claim, payload, commit, and the slot again
    }

    /** Returns false if the append has fewer steps. */
    private boolean diesAt(int step, End end) {
        String where = "step " + step;
        left[0] = -1;
        DirectNodes nodes = new DirectNodes(
                victim -> {
                    if (left[0] >= 0 && left[0]-- == 0) {
                        victim.kill();
                    }
                },
                other -> {});
        SimNode victim = nodes.one.node;
        QueuePair sends = nodes.one.queuePair();
        QueuePair receives = nodes.owner.queuePair();
        QueuePair others = nodes.other.queuePair();
        nodes.connect(nodes.one, sends, receives);

        left[0] = step;
        if (victim.act(() -> sends.postSend(nodes.one.append(VICTIM)))) {
            return false;
        }
        if (end == End.RESTART) {
            victim.restart();
        } else if (end == End.CLOSE) {
            nodes.owner.node.act(receives::close);
        } else if (end != End.NONE) {
            nodes.reset(receives);
        }
        nodes.connect(nodes.other, others, end == End.ANOTHER ? receives : nodes.owner.queuePair());
        if (end != End.ANOTHER) {
            nodes.run(DirectNodes.MILLI); // it is seen now
        }
        nodes.other.sendMany(others);
        nodes.checkNothingIsLeft(where);
        nodes.received.remove((Integer) VICTIM); // once, if it had come to that
        assertThat(nodes.received)
                .as(where)
                .containsExactlyElementsOf(
                        IntStream.range(0, DirectNodes.MANY).boxed().toList());
        assertThat(nodes.other.node.nic().counter(NicCounter.DIRECT_OPERATIONS))
                .as(where)
                .isPositive();
        return true;
    }
}
