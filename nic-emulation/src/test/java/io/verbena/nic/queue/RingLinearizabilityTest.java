package io.verbena.nic.queue;

import io.verbena.nic.Linearizability;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * The rings between an application and its NIC are bounded queues of one producer and one consumer.
 */
class RingLinearizabilityTest {
    private static final int CAPACITY = 2;

    private static void check(Class<?> ring, Class<?> specification) {
        Linearizability.check(ring, specification, 2, 4, 3);
    }

    @Test
    void completionRing() {
        check(Completions.class, Overrunning.class);
    }

    @Test
    void receiveRing() {
        check(Receives.class, Specification.class);
    }

    @Test
    void sendRing() {
        check(Sends.class, Specification.class);
    }

    /** What they should be. */
    public static class Specification {
        private final Queue<Integer> queue = new ArrayDeque<>();

        public boolean offer(int value) {
            return queue.size() < CAPACITY && queue.add(value);
        }

        public Integer poll() {
            return queue.poll();
        }
    }

    /** What a completion ring should be: what overruns once takes nothing any more. */
    public static class Overrunning {
        private final Queue<Integer> queue = new ArrayDeque<>();
        private boolean overrun;

        public boolean offer(int value) {
            overrun |= queue.size() == CAPACITY;
            return !overrun && queue.add(value);
        }

        public Integer poll() {
            return queue.poll();
        }
    }

    /** A completion ring. */
    public static class Completions {
        private final CompletionRing ring = new CompletionRing(1, CAPACITY);

        @Operation(nonParallelGroup = "engine")
        public boolean offer(int value) {
            return ring.offer(value, 0, 0, 0, 0, 0, 0, 0, 0);
        }

        @Operation(nonParallelGroup = "poller")
        public Integer poll() {
            int at = ring.front();
            if (at < 0) {
                return null;
            }
            int value = (int) ring.buffer().getLong(at + CqeDescriptor.WR_ID);
            ring.pop();
            ring.release();
            return value;
        }
    }

    /** A receive ring. */
    public static class Receives {
        private final ReceiveRing ring = new ReceiveRing(CAPACITY, 1, 0);

        @Operation(nonParallelGroup = "poster")
        public boolean offer(int value) {
            int at = ring.claim();
            if (at < 0) {
                return false;
            }
            ring.buffer().putLong(at + ReceiveWqeDescriptor.WR_ID, value);
            ring.publish();
            return true;
        }

        @Operation(nonParallelGroup = "engine")
        public Integer poll() {
            int at = ring.front();
            if (at < 0) {
                return null;
            }
            int value = (int) ring.buffer().getLong(at + ReceiveWqeDescriptor.WR_ID);
            ring.pop();
            return value;
        }
    }

    /** A send ring. */
    public static class Sends {
        private final SendRing ring = new SendRing(CAPACITY, 1, 0);

        @Operation(nonParallelGroup = "poster")
        public boolean offer(int value) {
            int at = ring.claim();
            if (at < 0) {
                return false;
            }
            ring.buffer().putLong(at + SendWqeDescriptor.WR_ID, value);
            ring.posted();
            ring.publish();
            return true;
        }

        @Operation(nonParallelGroup = "engine")
        public Integer poll() {
            if (!ring.hasNext()) {
                return null;
            }
            int value = (int) ring.buffer().getLong(ring.slot(ring.next()) + SendWqeDescriptor.WR_ID);
            ring.advanceNext();
            ring.advanceHead();
            ring.releaseConsumed();
            return value;
        }
    }
}
