package io.verbena.nic.engine;

import io.verbena.nic.transport.QpContext;
import java.util.Arrays;

/**
 * Queue pairs by the time at which their timers need a look: a binary heap in an array, an entry a queue pair. Timers are
 * lazy: a deadline that moves later (an answer came) leaves the entry where it is, and the look at the old time puts it
 * back. Under the engine's baton; grows when there are more queue pairs, otherwise allocates nothing.
 */
final class TimerQueue {
    private QpContext[] heap = new QpContext[64];
    private int size;

    /** Makes sure that a queue pair is looked at by then. */
    void arm(QpContext qp, long deadline) {
        int index = qp.timerIndex;
        if (index < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size * 2);
            }
            qp.timerNanos = deadline;
            siftUp(size++, qp);
        } else if (deadline < qp.timerNanos) {
            qp.timerNanos = deadline;
            siftUp(index, qp);
        }
    }

    /** When the next look is due, or {@link Long#MAX_VALUE}. */
    long next() {
        return size == 0 ? Long.MAX_VALUE : heap[0].timerNanos;
    }

    /**
     * Looks at every queue pair that is due.
     *
     * @return how many
     */
    int expire(long now) {
        int looked = 0;
        while (size > 0 && heap[0].timerNanos <= now) {
            QpContext qp = heap[0];
            remove(qp);
            qp.onTimer(now);
            long deadline = qp.deadline();
            if (deadline != Long.MAX_VALUE) {
                arm(qp, Math.max(deadline, now + 1));
            }
            looked++;
        }
        return looked;
    }

    /** Forgets a queue pair. */
    void remove(QpContext qp) {
        int index = qp.timerIndex;
        if (index < 0) {
            return;
        }
        qp.timerIndex = -1;
        QpContext moved = heap[--size];
        if (moved != qp) {
            siftDown(index, moved);
            if (heap[index] == moved) {
                siftUp(index, moved);
            }
        }
    }

    private void siftUp(int from, QpContext qp) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (heap[parent].timerNanos <= qp.timerNanos) {
                break;
            }
            place(index, heap[parent]);
            index = parent;
        }
        place(index, qp);
    }

    private void siftDown(int from, QpContext qp) {
        int index = from;
        while (true) {
            int child = 2 * index + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && heap[child + 1].timerNanos < heap[child].timerNanos) {
                child++;
            }
            if (heap[child].timerNanos >= qp.timerNanos) {
                break;
            }
            place(index, heap[child]);
            index = child;
        }
        place(index, qp);
    }

    private void place(int index, QpContext qp) {
        heap[index] = qp;
        qp.timerIndex = index;
    }
}
