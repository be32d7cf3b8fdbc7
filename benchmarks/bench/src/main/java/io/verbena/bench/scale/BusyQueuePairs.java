package io.verbena.bench.scale;

import io.verbena.bench.path.WaitLimit;
import io.verbena.nic.QueuePair;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;

/** Two NICs and n queue pairs between them, which send in turn. As many messages are under way for any n. */
final class BusyQueuePairs extends BusyLoop {
    private final FabricNode nearNode;
    private final FabricNode farNode;
    private final ScaleEnd near;
    private final ScaleEnd far;
    private final QueuePair[] queuePairs;
    private final ScaleVerb verb;
    private int next;

    /**
     * Opens the NICs and connects the queue pairs.
     *
     * @param fabric between the two NICs, both in this process
     * @param count queue pairs
     * @param burst messages that a queue pair sends in its turn, a power of two up to {@value #WINDOW}
     * @param bytes of a message
     * @param depth requests that a queue pair has room for; 0 for as many as it can have under way
     */
    BusyQueuePairs(FabricKind fabric, ScaleVerb verb, int count, int burst, int bytes, int depth) {
        super(burst);
        this.verb = verb;
        int slots = Math.max(depth, slotsNeeded(count, burst));
        nearNode = FabricNode.open(fabric, EngineMode.INVOKER);
        farNode = FabricNode.open(fabric, EngineMode.INVOKER);
        near = new ScaleEnd(nearNode.nic(), tally, count, slots, bytes, null);
        far = new ScaleEnd(farNode.nic(), tally, count, slots, bytes, verb);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        nearNode.connect(loopback, farNode.listen(loopback), TimeUnit.SECONDS.toNanos(10));
        WaitLimit deadline = WaitLimit.ofSeconds(10, "link");
        while (!near.isUp(far.nic()) || !far.isUp(near.nic())) {
            turn();
            deadline.run();
        }
        queuePairs = new QueuePair[count];
        for (int i = 0; i < count; i++) {
            QueuePair mine = near.makeQueuePair();
            QueuePair theirs = far.makeQueuePair();
            near.connect(mine, far, theirs);
            far.connect(theirs, near, mine);
            queuePairs[i] = mine;
        }
    }

    /** Messages that one of so many queue pairs has under way at most, rounded up to a power of two. */
    static int slotsNeeded(int count, int burst) {
        int bursts = WINDOW / burst;
        return burst * BitUtil.findNextPositivePowerOfTwo((bursts + count - 1) / count);
    }

    @Override
    void post(int messages) {
        near.post(queuePairs[next], verb, far, messages);
        next = next + 1 == queuePairs.length ? 0 : next + 1;
    }

    @Override
    int senders() {
        return queuePairs.length;
    }

    @Override
    void turn() {
        far.turn();
        near.turn();
    }

    @Override
    public void close() {
        nearNode.close();
        farNode.close();
    }
}
