package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.NicCounter;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QpState;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A sender that dies at any step of a direct append holds no memory of the owner, whenever the owner closes or resets the
 * queue pair: also before it sees that the sender is dead.
 */
@Timeout(60)
class DeadSenderTest {
    private static final long MILLI = 1_000_000L;
    private static final int CHUNK = 64 << 10;
    private static final int LENGTH = 4000;
    private static final int MOST_STEPS = 100;
    private static final int VICTIM = -7;

    private enum End {
        NONE,
        CLOSE,
        RESTART,
        RESET
    }

    private static final class Host {
        final CompletionQueue completions;
        final ProtectionDomain pd;
        final MemoryRegion region;

        Host(SimNode node) {
            completions = node.nic().createCompletionQueue(64);
            pd = node.nic().allocateProtectionDomain();
            region = pd.allocate(LENGTH, Access.ALL);
        }

        QueuePair queuePair() {
            return pd.createQueuePair(new QueuePairAttributes().completionQueue(completions));
        }
    }

    private final ConnectAttributes attributes = new ConnectAttributes().timeout(5);
    private final SendRequest request = new SendRequest();

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
        int step = 0;
        while (anotherFollows(step)) {
            step++;
            assertThat(step).isLessThan(MOST_STEPS);
        }
        assertThat(step).isGreaterThan(6);
    }

    /** Returns false if the append has fewer steps. */
    private boolean anotherFollows(int step) {
        Simulation simulation = new Simulation(1);
        SimFabric fabric = new SimFabric(simulation);
        SimNode victim = new SimNode(simulation, fabric, "victim", 1);
        SimNode owner = new SimNode(simulation, fabric, "owner", 2);
        SimNode other = new SimNode(simulation, fabric, "other", 3);
        int[] left = {-1};
        fabric.stepper(1, () -> {
            if (left[0] >= 0 && left[0]-- == 0) {
                victim.kill();
            }
        });
        link(fabric, victim, owner);
        link(fabric, other, owner);
        simulation.runFor(0);
        Host from = new Host(victim);
        Host to = new Host(owner);
        Host next = new Host(other);
        AppendQueue queue = to.pd.createAppendQueue(
                new AppendQueueAttributes().chunkLength(CHUNK).maxMessage(8192).holeTimeoutNanos(MILLI / 10));
        QueuePair receives = to.queuePair();
        QueuePair sends = from.queuePair();
        connect(sends, victim, receives, owner);
        left[0] = step;
        if (victim.act(() -> sends.postSend(
                request.appendImmediate(queue.id(), queue.key(), VICTIM).local(from.region.key(), 0, LENGTH)))) {
            return false;
        }
        QueuePair others = next.queuePair();
        owner.act(() -> receives.modify(new QpAttributes().state(QpState.RESET)));
        others.connect(owner.nicId(), receives.number(), attributes);
        owner.act(() -> receives.connect(other.nicId(), others.number(), attributes));

        List<Integer> received = new ArrayList<>();
        int messages = 4 * CHUNK / LENGTH;
        for (int i = 0; i < messages; i++) {
            int number = i;
            other.act(() -> assertThat(others.postSend(request.appendImmediate(queue.id(), queue.key(), number)
                            .local(next.region.key(), 0, LENGTH)))
                    .isEqualTo(PostResult.POSTED));
            simulation.runFor(MILLI);
            owner.act(() ->
                    queue.poll((buffer, offset, length, qpNumber, immediate, flags) -> received.add(immediate), 64));
            other.act(() -> next.completions.poll(c -> {}, 64));
        }
        simulation.runFor(10 * MILLI);
        owner.act(
                () -> queue.poll((buffer, offset, length, qpNumber, immediate, flags) -> received.add(immediate), 64));
        received.remove((Integer) VICTIM); // once, if it had come to that
        assertThat(received)
                .as("step " + step)
                .containsExactlyElementsOf(IntStream.range(0, messages).boxed().toList());
        AppendQueueStatistics s = queue.query();
        assertThat(s.depth()).as("step " + step).isZero();
        assertThat(s.setAside()).as("step " + step).isZero();
        assertThat(other.nic().counter(NicCounter.DIRECT_OPERATIONS))
                .as("step " + step)
                .isPositive();
        return true;
    }

    private void dieAtEachStep(End end) {
        int step = 0;
        while (diesAt(step, end)) {
            step++;
            assertThat(step).isLessThan(MOST_STEPS);
        }
        assertThat(step).isGreaterThan(6); // slot, claim, payload, commit, and the slot again
    }

    /** Returns false if the append has fewer steps. */
    private boolean diesAt(int step, End end) {
        Simulation simulation = new Simulation(1);
        SimFabric fabric = new SimFabric(simulation);
        SimNode victim = new SimNode(simulation, fabric, "victim", 1);
        SimNode owner = new SimNode(simulation, fabric, "owner", 2);
        SimNode other = new SimNode(simulation, fabric, "other", 3);
        int[] left = {-1};
        fabric.stepper(1, () -> {
            if (left[0] >= 0 && left[0]-- == 0) {
                victim.kill();
            }
        });
        link(fabric, victim, owner);
        link(fabric, other, owner);
        simulation.runFor(0);
        Host from = new Host(victim);
        Host to = new Host(owner);
        Host next = new Host(other);
        AppendQueue queue = to.pd.createAppendQueue(
                new AppendQueueAttributes().chunkLength(CHUNK).maxMessage(8192).holeTimeoutNanos(MILLI / 10));
        QueuePair sends = from.queuePair();
        QueuePair receives = to.queuePair();
        QueuePair others = next.queuePair();
        QueuePair forOthers = to.queuePair();
        connect(sends, victim, receives, owner);
        connect(others, other, forOthers, owner);

        left[0] = step;
        boolean lives = victim.act(
                () -> sends.postSend(request.append(queue.id(), queue.key()).local(from.region.key(), 0, LENGTH)));
        if (lives) {
            return false;
        }
        if (end == End.RESTART) {
            victim.restart();
        } else if (end != End.NONE) {
            owner.act(
                    end == End.CLOSE
                            ? receives::close
                            : () -> receives.modify(new QpAttributes().state(QpState.RESET)));
        }
        simulation.runFor(MILLI); // it is seen now
        for (int sent = 0; sent < 4 * CHUNK; sent += LENGTH) {
            other.act(() -> assertThat(others.postSend(
                            request.append(queue.id(), queue.key()).local(next.region.key(), 0, LENGTH)))
                    .isEqualTo(PostResult.POSTED));
            simulation.runFor(MILLI);
            owner.act(() -> queue.poll((buffer, offset, length, qpNumber, immediate, flags) -> {}, 64));
            other.act(() -> next.completions.poll(c -> {}, 64));
        }
        simulation.runFor(10 * MILLI);
        AppendQueueStatistics s = queue.query();
        assertThat(s.records()).as("step " + step).isGreaterThanOrEqualTo(4 * CHUNK / LENGTH);
        assertThat(s.depth()).as("step " + step).isZero();
        assertThat(s.setAside()).as("step " + step).isZero();
        return true;
    }

    private static void link(SimFabric fabric, SimNode from, SimNode to) {
        LinkProfile direct = new LinkProfile().direct(true);
        fabric.connect(
                from.name(),
                from.nic().engine(0).endpoint(),
                to.name(),
                to.nic().engine(0).endpoint(),
                direct,
                direct);
    }

    private void connect(QueuePair from, SimNode at, QueuePair to, SimNode owner) {
        from.connect(owner.nicId(), to.number(), attributes);
        to.connect(at.nicId(), from.number(), attributes);
    }
}
