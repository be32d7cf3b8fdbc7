package io.verbena.nic.append;

import io.verbena.nic.Linearizability;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * An append queue is a queue: two direct initiators, the owner and the consumer, in random short programs, have results
 * that some order of the operations explains. Empty is the queue whose tail has not moved
 * ({@link AppendQueue#isDrained}); a record that is claimed and not yet committed the consumer waits for, since what is
 * appended behind it may be whole already.
 */
public class AppendLinearizabilityTest {
    private static final int SLOTS_USED = 2;

    private final AppendFixture nic = new AppendFixture();
    private final AppendQueue queue = nic.create(AppendFixture.attributes());
    private final Appender[] peers = new Appender[SLOTS_USED];
    private final Appender owner = nic.queues.appender(0);
    private int polled;

    /** An empty queue. */
    public AppendLinearizabilityTest() {
        for (int i = 0; i < peers.length; i++) {
            peers[i] = nic.peer();
        }
    }

    @Operation(nonParallelGroup = "initiator 0")
    public boolean appendFirst(int value) {
        return append(peers[0], value, 1);
    }

    @Operation(nonParallelGroup = "initiator 1")
    public boolean appendSecond(int value) {
        return append(peers[1], value, 2);
    }

    @Operation(nonParallelGroup = "owner")
    public boolean appendAsOwner(int value) {
        return append(owner, value, Appender.OWNER);
    }

    private boolean append(Appender appender, int value, int slot) {
        if (AppendFixture.claim(appender, queue, 8, slot) != Appender.OK) {
            return false;
        }
        appender.roomBuffer().putLong(AppendFixture.payload(appender), value);
        return AppendFixture.commit(appender, 8, 0, value);
    }

    @Operation(nonParallelGroup = "consumer")
    public Integer poll() {
        do {
            int count = queue.poll(
                    (buffer, offset, length, qpNumber, immediate, flags) -> {
                        if (buffer.getLong(offset) != immediate) {
                            throw new AssertionError("torn: " + buffer.getLong(offset) + " is not " + immediate);
                        }
                        polled = immediate;
                    },
                    1);
            if (count == 1) {
                return polled;
            }
            Thread.onSpinWait();
        } while (!queue.isDrained());
        return null;
    }

    /** What it should be. */
    public static class Specification {
        private final Queue<Integer> queue = new ArrayDeque<>();

        public boolean appendFirst(int value) {
            return queue.add(value);
        }

        public boolean appendSecond(int value) {
            return queue.add(value);
        }

        public boolean appendAsOwner(int value) {
            return queue.add(value);
        }

        public Integer poll() {
            return queue.poll();
        }
    }

    @Test
    void someOrderExplainsTheResults() {
        Linearizability.check(AppendLinearizabilityTest.class, Specification.class, 3, 3, 2);
    }
}
