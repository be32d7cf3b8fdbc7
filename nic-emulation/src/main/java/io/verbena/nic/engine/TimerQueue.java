package io.verbena.nic.engine;

import io.verbena.nic.transport.QpContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs by the time at which their timers need a look: a binary heap in an array, an entry a queue pair. Timers
 * are lazy: a deadline that moves later (an answer came) leaves the entry where it is, and the look at the old time
 * puts it back. Grows when there are more queue pairs, otherwise allocates nothing.
 *
 * <p>Used under the engine's baton, but for {@link #next}: the heap is not read without the baton, so the first
 * deadline is published beside it.
 */
final class TimerQueue {
    private static final VarHandle NEXT;

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(TimerQueue.class, "next", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final BiConsumer<QpContext, Throwable> broken;
    private @Nullable QpContext[] heap = new QpContext[64];
    private int size;
    private long next = Long.MAX_VALUE; // written under the baton

    /**
     * Creates an empty queue.
     *
     * @param broken is given a queue pair whose look has met an exception; the others have theirs
     */
    TimerQueue(BiConsumer<QpContext, Throwable> broken) {
        this.broken = broken;
    }

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
        } else {
            return;
        }
        publish();
    }

    /**
     * When the next look is due, or {@link Long#MAX_VALUE}. Any thread: as of a change made before its last fence, or
     * later.
     */
    long next() {
        return (long) NEXT.getOpaque(this);
    }

    private void publish() {
        QpContext first = heap[0];
        long due = first == null ? Long.MAX_VALUE : first.timerNanos;
        if (due != next) {
            NEXT.setOpaque(this, due);
        }
    }

    /**
     * Looks at every queue pair that is due.
     *
     * @return how many
     */
    int expire(long now) {
        int looked = 0;
        for (QpContext qp = heap[0]; qp != null && qp.timerNanos <= now; qp = heap[0]) {
            remove(qp);
            try {
                qp.onTimer(now);
                long deadline = qp.deadline();
                if (deadline != Long.MAX_VALUE) {
                    arm(qp, Math.max(deadline, now + 1));
                }
            } catch (RuntimeException | Error e) {
                broken.accept(qp, e);
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
        QpContext moved = at(--size);
        heap[size] = null;
        if (moved != qp) {
            siftDown(index, moved);
            if (heap[index] == moved) {
                siftUp(index, moved);
            }
        }
        publish();
    }

    private QpContext at(int index) {
        return Objects.requireNonNull(heap[index]);
    }

    private void siftUp(int from, QpContext qp) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (at(parent).timerNanos <= qp.timerNanos) {
                break;
            }
            place(index, at(parent));
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
            if (child + 1 < size && at(child + 1).timerNanos < at(child).timerNanos) {
                child++;
            }
            if (at(child).timerNanos >= qp.timerNanos) {
                break;
            }
            place(index, at(child));
            index = child;
        }
        place(index, qp);
    }

    private void place(int index, QpContext qp) {
        heap[index] = qp;
        qp.timerIndex = index;
    }
}
