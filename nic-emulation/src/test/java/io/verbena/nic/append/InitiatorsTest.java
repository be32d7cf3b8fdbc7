package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.claim;
import static io.verbena.nic.append.AppendFixture.commit;
import static io.verbena.nic.append.AppendFixture.fill;
import static io.verbena.nic.append.AppendFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.append.AppendFixture.Message;
import io.verbena.nic.port.PeerMemory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link ends, and the peer that was in the middle of an operation on this side's memory lives on, or not. */
@Timeout(180)
class InitiatorsTest {
    private static final long PEER = 0xABC;
    private static final int KEY = 77;
    private static final int SLOT = 5;
    private static final long SECOND = 1_000_000_000;

    private final AppendFixture nic = new AppendFixture();
    private final Initiators initiators = nic.queues.initiators();
    private final AtomicBoolean ended = new AtomicBoolean();
    private int looks;

    private boolean hasEnded() {
        looks++;
        return ended.get();
    }

    private void leave(int engine) {
        initiators.abandonAll(PEER, engine, this::hasEnded);
        nic.settle();
    }

    /** Copies go on after a link's end: the region that they write to is busy until they are done. */
    @Test
    void aLivingPeersAccessStaysInFlightUntilItEndsIt() {
        initiators.connected(SLOT, PEER, 0);
        nic.control.beginAccess(SLOT, KEY);
        leave(0);
        assertThat(nic.control.isKeyInFlight(KEY)).isTrue();
        nic.clock.addAndGet(60 * SECOND);
        nic.settle();
        assertThat(nic.control.isKeyInFlight(KEY)).isTrue();
        assertThat(nic.control.isSlotIdle(SLOT)).isFalse();
        nic.control.endAccess(SLOT);
        assertThat(nic.control.isKeyInFlight(KEY)).isFalse();
    }

    @Test
    void whatItLeavesWhenItEndsLaterIsClearedThen() {
        initiators.connected(SLOT, PEER, 0);
        leave(0);
        assertThat(nic.control.isSlotIdle(SLOT)).isTrue();
        nic.control.beginAccess(SLOT, KEY); // it had looked at the link before that ended
        nic.settle();
        assertThat(nic.control.isKeyInFlight(KEY)).isTrue();
        ended.set(true);
        nic.clock.addAndGet(60 * SECOND);
        nic.settle();
        assertThat(nic.control.isKeyInFlight(KEY)).isFalse();
        assertThat(initiators.isAbandoned(SLOT)).isFalse();
    }

    /** One in this process ends what it has begun, however long that takes. */
    @Test
    void aPeerInThisProcessKeepsItsSlotUntilItIsDone() {
        initiators.connected(SLOT, PEER, 0);
        nic.control.beginAccess(SLOT, KEY);
        initiators.abandonAll(PEER, 0, PeerMemory.NEVER_GONE);
        nic.settle();
        nic.clock.addAndGet(60 * SECOND);
        nic.settle();
        assertThat(initiators.isAbandoned(SLOT)).isTrue();
        assertThat(nic.control.isKeyInFlight(KEY)).isTrue();
        initiators.connected(SLOT, PEER + 1, 0);
        assertThat(initiators.isAbandoned(SLOT)).isFalse();
    }

    @Test
    void whoMayLiveIsAskedAfterMoreAndMoreSeldom() {
        initiators.connected(SLOT, PEER, 0);
        leave(0);
        assertThat(looks).isOne();
        for (int i = 0; i < 1000; i++) {
            nic.clock.addAndGet(SECOND / 10);
            nic.settle();
        }
        assertThat(looks).isBetween(10, 25);
    }

    /** Each engine has links of its own to a peer; those of the others are up. */
    @Test
    void slotsOfOtherEnginesAndOtherPeersAreLeftAlone() {
        ended.set(true);
        initiators.connected(SLOT, PEER, 1);
        initiators.connected(SLOT + 1, PEER + 1, 0);
        nic.control.beginAccess(SLOT, KEY);
        nic.control.beginAccess(SLOT + 1, KEY + 1);
        leave(0);
        assertThat(nic.control.isKeyInFlight(KEY)).isTrue();
        assertThat(nic.control.isKeyInFlight(KEY + 1)).isTrue();
        leave(1);
        assertThat(nic.control.isKeyInFlight(KEY)).isFalse();
    }

    /** What is cleared is the departed one's, or nothing. */
    @Test
    void aSlotThatIsGivenAnewIsNotCleared() {
        initiators.connected(SLOT, PEER, 0);
        nic.control.beginAccess(SLOT, KEY);
        initiators.abandonAll(PEER, 0, () -> {
            initiators.connected(SLOT, PEER + 1, 0); // between the question and the clearing
            nic.control.endAccess(SLOT);
            nic.control.beginAccess(SLOT, KEY + 1);
            return true;
        });
        nic.settle();
        assertThat(nic.control.isKeyInFlight(KEY + 1)).isTrue();
        assertThat(initiators.isAbandoned(SLOT)).isFalse();
    }

    /**
     * A claim is closed at once, whoever may live; the mark is not lost by what the living still writes to its slot.
     */
    @Test
    void aClaimThatIsMadeWhileItsInitiatorIsAbandonedIsClosedAtOnce() {
        AppendQueue queue = nic.create(attributes());
        Collector collector = new Collector();
        Appender peer = nic.peer();
        initiators.connected(SLOT, PEER, 0);
        leave(0);
        assertThat(claim(peer, queue, 200, SLOT)).isEqualTo(Appender.OK);
        assertThat(append(nic.peer(), queue, 2, 0, 50, 2)).isEqualTo(Appender.OK);
        nic.settle();
        assertThat(queue.poll(collector, 10)).isOne();
        assertThat(collector.messages).containsExactly(new Message(2, 0, 50));
        fill(peer.roomBuffer(), payload(peer), 200, SLOT, 1); // not somebody else's memory by now
        assertThat(nic.control.isSlotIdle(SLOT)).isFalse();
        assertThat(commit(peer, 200, SLOT, 1)).isFalse();
        assertThat(nic.control.isSlotIdle(SLOT)).isTrue();
    }
}
