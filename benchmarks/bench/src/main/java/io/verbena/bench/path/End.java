package io.verbena.bench.path;

import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One end of a path of messages of a fixed length. A message's first and last 8 bytes are its number: 0, 1, 2 and so
 * on, which the end that takes it checks.
 *
 * <p>The numbers are those of a lane: there is one lane, unless the path has several queue pairs or producers, between
 * which there is no order. Then a number's upper 16 bits are its lane, and each lane counts from 0.
 *
 * <p>For the thread that opened it; {@link #produce} says what other threads do.
 */
public abstract class End extends Producer implements AutoCloseable {
    /** Least bytes of a message: its number. */
    public static final int MIN_LENGTH = Long.BYTES;

    static final int LANE_SHIFT = 48;
    private static final int PRODUCE_SECONDS = 30;

    /** Bytes of a message. */
    protected final int length;

    /** What the end was opened with. */
    protected final PathSettings settings;

    private final long[] expected;
    private final boolean single;
    private long taken;
    private boolean echo;
    private boolean echoing;
    private long echoed;
    private boolean answered;
    private @Nullable ProducerThreads producers;

    /** Creates an end. */
    protected End(PathSettings settings) {
        super(settings.waiting());
        this.settings = settings;
        this.length = settings.length();
        this.expected = new long[settings.queuePairs() * settings.producers()];
        this.single = expected.length == 1;
    }

    /**
     * Takes messages that have come; gives what drives the path a turn. Answers leave when it is through with what it
     * found.
     *
     * @param limit most messages, a hint
     * @return messages taken
     */
    public final int poll(int limit) {
        int count = receive(limit);
        if (answered) {
            answered = false;
            flush();
        }
        return count;
    }

    /**
     * Sleeps as the path's own API does until there may be something to take.
     *
     * @param longest most time to sleep
     * @return false at once if the path has no such wait
     */
    public boolean await(Duration longest) {
        return false;
    }

    /** Takes messages, each by {@link #accept}. @return how many */
    abstract int receive(int limit);

    /**
     * Whether this end's messages come from {@link #offer} of the other, so that a far thread must answer them. If not,
     * what {@link #taken} counts at the near end are its own requests that are complete, and the far end takes nothing.
     */
    public boolean isAnswered() {
        return true;
    }

    /** From now on each message that comes is answered with its own number. */
    public final void echo() {
        echo = true;
    }

    /** Messages taken so far, or requests completed. */
    public final long taken() {
        return taken;
    }

    /** Near end: checks what can be checked at the end alone, while the far end is still there. */
    public void finish() {}

    /** What the end was opened with. */
    public final PathSettings settings() {
        return settings;
    }

    /** To be called with each message's number. */
    protected final void accept(long number) {
        if (single) {
            if (number != taken) {
                throw unexpected(taken, number);
            }
        } else {
            int lane = (int) (number >>> LANE_SHIFT);
            if (lane >= expected.length || number != ((long) lane << LANE_SHIFT | expected[lane]++)) {
                throw outOfOrder(lane, number);
            }
        }
        taken++;
        if (echo && !echoing) {
            echoTaken();
        }
    }

    /** While one answer waits for room, more messages may come: theirs follow in order. */
    private void echoTaken() {
        echoing = true;
        while (echoed < taken) {
            offerNow(echoed++);
        }
        echoing = false;
        answered = true;
    }

    private RunException outOfOrder(int lane, long number) {
        if (lane >= expected.length) {
            return new RunException("a message of lane " + lane + " came, of " + expected.length);
        }
        return unexpected((long) lane << LANE_SHIFT | expected[lane] - 1, number);
    }

    private static RunException unexpected(long wanted, long number) {
        return new RunException("message " + wanted + " was expected, " + number + " came");
    }

    /** What one of several producers does. */
    @FunctionalInterface
    public interface Work {
        /**
         * Sends.
         *
         * @param producer for this thread
         * @param index 0 to one less than there are
         */
        void run(Producer producer, int index);
    }

    /**
     * Lets each producer of the settings work in a thread of its own, the first in the calling one; returns when all
     * have ended. The work is to be bounded: 30 s after the first producer's end this fails.
     */
    public final void produce(Work work) {
        ProducerThreads others = producers;
        if (others == null) {
            work.run(this, 0);
            return;
        }
        others.begin(work);
        work.run(this, 0);
        WaitLimit deadline = WaitLimit.ofSeconds(PRODUCE_SECONDS, "end of the other producers");
        while (!others.areIdle()) {
            poll(1);
            deadline.run();
        }
    }

    /** Opens the producers beside the first, if there are any. */
    final void openProducers(IntFunction<Producer> opener, Runnable idle) {
        if (settings.producers() > 1) {
            producers = new ProducerThreads(settings.producers() - 1, opener, idle);
        }
    }

    /** Ends the producers beside the first. */
    @Override
    public void close() {
        if (producers != null) {
            producers.close();
        }
    }
}
