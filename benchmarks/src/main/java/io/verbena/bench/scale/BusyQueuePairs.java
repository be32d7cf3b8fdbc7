package io.verbena.bench.scale;

import io.verbena.bench.fabric.FabricKind;
import io.verbena.bench.fabric.FabricNode;
import io.verbena.bench.path.Deadline;
import io.verbena.nic.EngineMode;
import io.verbena.nic.QueuePair;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;

/**
 * Two NICs and n queue pairs between them, which send in turn, a burst and a doorbell each. One thread does the work of both
 * sides, so what is measured is the processor's time for a message; as many messages are under way for any n.
 */
final class BusyQueuePairs implements AutoCloseable {
    /** Messages under way, at most. */
    static final int WINDOW = 256;

    private final FabricNode nearNode;
    private final FabricNode farNode;
    private final ScaleEnd near;
    private final ScaleEnd far;
    private final QueuePair[] queuePairs;
    private final ScaleVerb verb;
    private final int burst;
    private long posted;
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
        this.verb = verb;
        this.burst = burst;
        int slots = depth == 0 ? slotsNeeded(count, burst) : depth;
        nearNode = FabricNode.open(fabric, EngineMode.INVOKER);
        farNode = FabricNode.open(fabric, EngineMode.INVOKER);
        near = new ScaleEnd(nearNode.nic(), count, slots, bytes, null);
        far = new ScaleEnd(farNode.nic(), count, slots, bytes, verb);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        nearNode.connect(loopback, farNode.listen(loopback), TimeUnit.SECONDS.toNanos(10));
        Deadline deadline = Deadline.ofSeconds(10, "link");
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

    private void turn() {
        far.turn();
        near.turn();
    }

    /** Sends a window full, and waits until all of it has been taken and acknowledged. */
    private void window() {
        for (int sent = 0; sent < WINDOW; sent += burst) {
            near.post(queuePairs[next], verb, far, burst);
            next = next + 1 == queuePairs.length ? 0 : next + 1;
        }
        posted += WINDOW;
        Deadline deadline = Deadline.ofSeconds(10, "acknowledgement");
        for (int turns = 1; near.acknowledged() < posted || far.taken() < posted; turns++) {
            turn();
            if ((turns & 0xFFF) == 0) {
                deadline.check();
            }
        }
    }

    /**
     * Sends for a time.
     *
     * @return messages a second of this thread's processor time: what else runs on the machine takes none of it
     */
    double run(long nanos) {
        long before = posted;
        long begin = ProcessorTime.ofThread();
        long deadline = System.nanoTime() + nanos;
        do {
            window();
        } while (System.nanoTime() - deadline < 0);
        return (posted - before) * 1e9 / (ProcessorTime.ofThread() - begin);
    }

    @Override
    public void close() {
        nearNode.close();
        farNode.close();
    }
}
