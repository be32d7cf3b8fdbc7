package io.verbena.bench.perftest;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.PostResult;
import io.verbena.nic.SendRequest;
import io.verbena.verification.RunException;

/** One READ at a time, from posting to its completion. */
final class ReadRoundTrip extends Traffic {
    private final SendRequest request = new SendRequest();
    private final CompletionHandler handler = this::onCompletion;
    private long message;
    private long completedAt;
    private boolean completed;

    ReadRoundTrip(TestEnd end, PerftestSettings settings, SpinWait wait) {
        super(end, settings, wait);
    }

    @Override
    int poll() {
        return end.completions().poll(handler, 1);
    }

    /** Reads once. @return nanoseconds */
    long roundTrip() {
        completed = false;
        long start = System.nanoTime();
        end.prepare(request, 0, message, message);
        if (end.queuePair(0).postSend(request) != PostResult.POSTED) {
            throw new RunException("the send queue is full although nothing is outstanding");
        }
        while (!completed) {
            if (poll() == 0) {
                wait.idle();
            }
        }
        wait.reset();
        if (settings.validate()) {
            end.pattern().verify(end.arrivals(), end.slotOffset(0, message), end.size(), message);
        }
        message++;
        return completedAt - start;
    }

    private void onCompletion(Completion completion) {
        completedAt = System.nanoTime();
        check(completion);
        completed = true;
    }

    /** READs so far. */
    long messages() {
        return message;
    }

    @Override
    boolean isComplete(long messages) {
        return message == messages;
    }
}
