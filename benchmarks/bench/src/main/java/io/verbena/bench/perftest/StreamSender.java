package io.verbena.bench.perftest;

import io.verbena.bench.perftest.TestKind.Verb;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;

/**
 * Keeps queue pairs full with requests, one after the other in turn. READs are looked at as they complete.
 */
final class StreamSender extends Traffic {
    private static final int POLL_LIMIT = 64;
    private static final int CLOCK_MASK = 63;

    private final SendRequest request = new SendRequest();
    private final CompletionHandler handler = this::onCompletion;
    private final int queuePairs;
    private final int depth;
    private final int signalEvery;
    private final int postList;
    private final long[] postedOf;
    private final long[] completedOf;
    private long posted;
    private long completed;

    StreamSender(TestEnd end, PerftestSettings settings, SpinWait wait) {
        super(end, settings, wait);
        this.queuePairs = end.queuePairCount();
        boolean reads = settings.kind().verb() == Verb.READ;
        // A READ needs a slot of its own until it was looked at; the others' slots are the target's concern.
        this.depth = reads ? Math.min(settings.txDepth(), end.slots()) : settings.txDepth();
        this.signalEvery = Math.max(1, Math.min(settings.signalEvery(), depth / 2));
        this.postList = Math.min(settings.postList(), depth);
        this.postedOf = new long[queuePairs];
        this.completedOf = new long[queuePairs];
    }

    /** Messages posted since the beginning. */
    long messages() {
        return posted;
    }

    /**
     * Sends so many messages, or for so long if there is a duration.
     *
     * @param rate takes the times at which messages completed
     */
    void run(long messages, long durationNanos, RateMeter rate) {
        long limit = durationNanos > 0 ? Long.MAX_VALUE : posted + messages;
        long start = System.nanoTime();
        long base = completed;
        rate.start(start);
        int turns = 0;
        while (posted < limit) {
            int work = postWhatFits(limit);
            int polled = poll();
            if (polled > 0 || (++turns & CLOCK_MASK) == 0) {
                long now = System.nanoTime();
                rate.completed(completed - base, now);
                if (durationNanos > 0 && now - start >= durationNanos) {
                    break;
                }
            }
            idleUnless(work + polled > 0);
        }
        drain();
        rate.end(completed - base, System.nanoTime());
    }

    private void idleUnless(boolean worked) {
        if (worked) {
            wait.reset();
        } else {
            wait.idle();
        }
    }

    private int postWhatFits(long limit) {
        int count = 0;
        while (posted < limit) {
            int index = (int) (posted % queuePairs);
            QueuePair qp = end.queuePair(index);
            int burst = queuePairs > 1 ? 1 : (int) Math.min(postList, limit - posted);
            if (depth - (postedOf[index] - completedOf[index]) < burst || !post(qp, index, burst)) {
                break;
            }
            count += burst;
        }
        return count;
    }

    private boolean post(QueuePair qp, int index, int burst) {
        for (int i = 0; i < burst; i++) {
            long number = postedOf[index];
            end.prepare(request, index, number, posted).signaled((number + 1) % signalEvery == 0);
            if (qp.post(request) == PostResult.QUEUE_FULL) {
                qp.doorbell();
                return i > 0;
            }
            postedOf[index] = number + 1;
            posted++;
        }
        qp.doorbell();
        return true;
    }

    /** Waits for the last ones, of which not all are signaled. */
    private void drain() {
        for (int i = 0; i < queuePairs; i++) {
            while (end.queuePair(i).outstanding() > 0) {
                idleUnless(poll() > 0);
            }
        }
        while (poll() > 0) {
            wait.reset();
        }
        for (int i = 0; i < queuePairs; i++) {
            advance(i, postedOf[i]);
        }
    }

    @Override
    int poll() {
        return end.completions().poll(handler, POLL_LIMIT);
    }

    private void onCompletion(Completion completion) {
        check(completion);
        advance(queuePairs == 1 ? 0 : end.indexOf(completion.qpNumber()), completion.wrId() + 1);
    }

    private void advance(int index, long done) {
        long from = completedOf[index];
        if (settings.kind().verb() == Verb.READ && settings.validate()) {
            for (long i = from; i < done; i++) {
                end.pattern().verify(end.arrivals(), end.slotOffset(index, i), end.size(), i * queuePairs + index);
            }
        }
        completed += done - from;
        completedOf[index] = done;
    }

    @Override
    boolean isComplete(long messages) {
        return completed == messages;
    }
}
