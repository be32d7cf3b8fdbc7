package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Two nodes that execute directly on the memory of a third, the owner, which has an append queue. */
final class DirectNodes {
    static final long MILLI = 1_000_000L;
    static final int LENGTH = 4000;

    private static final int CHUNK = 64 << 10;

    /** As many messages as fill the queue's chunks several times. */
    static final int MANY = 4 * CHUNK / LENGTH;

    private final Simulation simulation = new Simulation(1);
    private final SimFabric fabric = new SimFabric(simulation);
    private final ConnectAttributes attributes = new ConnectAttributes().timeout(5);

    final Host one = new Host("one", 1);
    final Host other = new Host("other", 2);
    final Host owner = new Host("owner", 3);
    final AppendQueue queue;
    final List<Integer> received = new ArrayList<>();

    /** A node with what it needs to post. */
    final class Host {
        final SimNode node;
        final CompletionQueue completions;
        final ProtectionDomain pd;
        final MemoryRegion region;
        final SendRequest request = new SendRequest();

        private Host(String name, long nicId) {
            node = new SimNode(simulation, fabric, name, nicId);
            completions = node.nic().createCompletionQueue(64);
            pd = node.nic().allocateProtectionDomain();
            region = pd.allocate(LENGTH, Access.ALL);
        }

        QueuePair queuePair() {
            return pd.createQueuePair(new QueuePairAttributes().completionQueue(completions));
        }

        /** An append of the whole region. */
        SendRequest append(int immediate) {
            return request.appendImmediate(queue.id(), queue.key(), immediate).local(region.key(), 0, LENGTH);
        }

        /** Messages with numbers from 0 on, each of which is received before the next. */
        void sendMany(QueuePair qp) {
            for (int i = 0; i < MANY; i++) {
                int number = i;
                node.act(() -> assertThat(qp.postSend(append(number))).isEqualTo(PostResult.POSTED));
                run(MILLI);
                receive();
                node.act(() -> completions.poll(c -> {}, 64));
            }
        }
    }

    /**
     * Makes the nodes.
     *
     * @param ofOne is run before each step of a direct operation of the one
     * @param ofOther is run before each step of the other's
     */
    DirectNodes(Consumer<SimNode> ofOne, Consumer<SimNode> ofOther) {
        fabric.stepper(1, () -> ofOne.accept(one.node));
        fabric.stepper(2, () -> ofOther.accept(other.node));
        link(one);
        link(other);
        run(0);
        queue = owner.pd.createAppendQueue(
                new AppendQueueAttributes().chunkLength(CHUNK).maxMessage(8192).holeTimeoutNanos(MILLI / 10));
    }

    private void link(Host host) {
        LinkProfile direct = new LinkProfile().direct(true);
        fabric.connect(
                host.node.name(),
                host.node.nic().engine(0).endpoint(),
                "owner",
                owner.node.nic().engine(0).endpoint(),
                direct,
                direct);
    }

    void connect(Host host, QueuePair from, QueuePair ofOwner) {
        from.connect(owner.node.nicId(), ofOwner.number(), attributes);
        owner.node.act(() -> ofOwner.connect(host.node.nicId(), from.number(), attributes));
    }

    void reset(QueuePair ofOwner) {
        owner.node.act(() -> ofOwner.modify(new QpAttributes().state(QpState.RESET)));
    }

    void run(long nanos) {
        simulation.runFor(nanos);
    }

    /** The owner takes what is in the queue. */
    void receive() {
        owner.node.act(
                () -> queue.poll((buffer, offset, length, qpNumber, immediate, flags) -> received.add(immediate), 64));
    }

    /** After some time: nothing is left in the queue, and none of its chunks is kept from use. */
    void checkNothingIsLeft(String where) {
        run(10 * MILLI);
        receive();
        AppendQueueStatistics s = queue.query();
        assertThat(s.depth()).as(where).isZero();
        assertThat(s.setAside()).as(where).isZero();
    }
}
