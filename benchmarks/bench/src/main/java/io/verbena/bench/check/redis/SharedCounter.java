package io.verbena.bench.check.redis;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A counter that many connections increment. Linearizable means here: no value twice, and an increment that began after
 * another was answered has the larger value. The latter is asked at once, since the largest answered value is known
 * when an increment begins. No value exceeds the number of increments begun. Thread-safe.
 */
final class SharedCounter {
    private final String key;
    private final BitSet seen = new BitSet();
    private long begun;
    private long largest;
    private long answered;
    private long inDoubt;

    SharedCounter(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }

    /** An increment begins. */
    synchronized ExpectedReply begin() {
        begun++;
        long floor = largest;
        return new ExpectedReply() {
            @Override
            public Expected apply() {
                return Expected.when(
                        "a value of the counter that was not seen and is above " + floor,
                        reply -> reply.type() == Reply.INTEGER && answered(Long.parseLong(reply.string()), floor));
            }

            @Override
            public void lost() {
                doubt();
            }
        };
    }

    private synchronized boolean answered(long value, long floor) {
        if (value <= floor || value > begun || seen.get((int) value)) {
            return false;
        }
        seen.set((int) value);
        answered++;
        largest = Math.max(largest, value);
        return true;
    }

    private synchronized void doubt() {
        inDoubt++;
    }

    /** What the counter must hold when nobody increments it any more. */
    synchronized Expected last() {
        long least = Math.max(answered, largest);
        long most = answered + inDoubt;
        return Expected.when(
                "a number from " + least + " to " + most + ": " + answered + " increments were answered and " + inDoubt
                        + " are in doubt",
                reply -> {
                    long value = number(reply);
                    return value >= least && value <= most;
                });
    }

    private static long number(@Nullable Reply reply) {
        if (reply == null || reply.type() == Reply.NIL) {
            return 0;
        }
        return reply.type() == Reply.BULK ? Long.parseLong(reply.string()) : -1;
    }
}
