package io.verbena.bench.perftest;

import io.verbena.bench.perftest.TestKind.Verb;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.verification.RunException;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Takes a stream of SENDs or appends, looks at the data, and measures the rate at which it comes. */
final class StreamReceiver extends Traffic {
    private static final int LIMIT = 64;
    private static final int POLLS_PER_TURN = 16;

    private final CompletionHandler completionHandler = this::onCompletion;
    private final AppendHandler appendHandler = this::onMessage;
    private final @Nullable AppendQueue inbox;
    private final int queuePairs;
    private final int receives;
    private final int turnMask;
    private final long[] receivedOf;
    private int polls;
    private long received;
    private long phaseBegan;
    private long firstAt;
    private long lastAt;

    StreamReceiver(TestEnd end, PerftestSettings settings, SpinWait wait) {
        super(end, settings, wait);
        this.queuePairs = end.queuePairCount();
        this.receivedOf = new long[queuePairs];
        this.receives = Math.min(end.slots(), settings.rxDepth());
        this.turnMask = end.isDirect() ? POLLS_PER_TURN - 1 : 0;
        if (settings.kind().verb() == Verb.SEND) {
            this.inbox = null;
            for (int i = 0; i < queuePairs; i++) {
                for (int j = 0; j < receives; j++) {
                    end.postReceive(i, j);
                }
            }
        } else {
            this.inbox = end.inbox();
        }
    }

    @Override
    void startPhase() {
        phaseBegan = received;
        firstAt = 0;
        lastAt = 0;
    }

    @Override
    int poll() {
        long before = received;
        AppendQueue queue = inbox;
        if (queue == null) {
            end.completions().poll(completionHandler, LIMIT);
        } else {
            queue.poll(appendHandler, LIMIT);
            if ((++polls & turnMask) == 0) {
                end.completions().poll(completionHandler, LIMIT);
            }
        }
        int taken = (int) (received - before);
        if (taken > 0) {
            lastAt = System.nanoTime();
            if (firstAt == 0) {
                firstAt = lastAt;
                phaseBegan = received; // what was there at the first look is not timed
            }
        }
        return taken;
    }

    private void onCompletion(Completion completion) {
        check(completion);
        int index = queuePairs == 1 ? 0 : end.indexOf(completion.qpNumber());
        long number = receivedOf[index]++;
        if (settings.validate()) {
            if (completion.wrId() != number || completion.byteLength() != end.size()) {
                throw new RunException("message " + number + " of " + end.size() + " bytes came as "
                        + completion.byteLength() + " bytes in receive " + completion.wrId());
            }
            end.pattern()
                    .verify(end.arrivals(), end.slotOffset(index, number), end.size(), number * queuePairs + index);
        }
        end.postReceive(index, number + receives);
        received++;
    }

    private void onMessage(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
        int index = queuePairs == 1 ? 0 : end.indexOf(qpNumber);
        long number = receivedOf[index]++;
        if (settings.validate()) {
            if (length != end.size()) {
                throw new RunException(
                        "message " + number + " of " + end.size() + " bytes came as " + length + " bytes");
            }
            end.pattern().verify(buffer, offset, length, number * queuePairs + index);
        }
        received++;
    }

    @Override
    boolean isComplete(long messages) {
        return received == messages;
    }

    @Override
    ControlLine report(ControlLine message) {
        return message.with("messages", received - phaseBegan).with("nanos", lastAt - firstAt);
    }
}
