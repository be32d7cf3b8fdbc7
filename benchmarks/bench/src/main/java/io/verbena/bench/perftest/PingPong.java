package io.verbena.bench.perftest;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;

/**
 * A message there and one back. The server answers a message before it looks at the data, and the client takes the time
 * before it looks, so that validation is not in the figures: both do it while nothing is under way.
 */
abstract class PingPong extends Traffic {
    private static final int POLLS_PER_TURN = 16;

    private final boolean initiator;
    private final QueuePair qp;
    private final SendRequest request = new SendRequest();
    private final CompletionHandler completionHandler = this::onCompletion;
    private final int turnMask;
    private int polls;
    private long arrived;
    private long arrivedAt;

    PingPong(TestEnd end, PerftestSettings settings, SpinWait wait, boolean initiator) {
        super(end, settings, wait);
        this.initiator = initiator;
        this.qp = end.queuePair(0);
        // Where messages come without the engine, it needs a turn only now and then.
        this.turnMask = end.isDirect() ? POLLS_PER_TURN - 1 : 0;
    }

    static PingPong create(TestEnd end, PerftestSettings settings, SpinWait wait, boolean initiator) {
        switch (settings.kind().verb()) {
            case SEND:
                return new SendPingPong(end, settings, wait, initiator);
            case WRITE:
                return new WritePingPong(end, settings, wait, initiator);
            case APPEND:
                return new AppendPingPong(end, settings, wait, initiator);
            default:
                throw new IllegalArgumentException(settings.kind() + " is no ping-pong");
        }
    }

    /** Messages that have come. */
    final long arrived() {
        return arrived;
    }

    /** Client: sends the next message and waits for its answer. @return nanoseconds of the round trip */
    final long roundTrip() {
        long message = arrived;
        long start = System.nanoTime();
        send(message);
        while (arrived == message) {
            if (poll() == 0) {
                wait.idle();
            }
        }
        wait.reset();
        return arrivedAt - start;
    }

    /** To be called as soon as the next message is seen, before anything else is done with it. */
    final void arrive() {
        if (initiator) {
            arrivedAt = System.nanoTime();
        } else {
            send(arrived);
        }
        arrived++;
    }

    final void turnNowAndThen() {
        if ((++polls & turnMask) == 0) {
            end.completions().poll(completionHandler, 16);
        }
    }

    private void send(long message) {
        end.prepare(request, 0, message, message).signaled(false);
        while (qp.postSend(request) == PostResult.QUEUE_FULL) {
            end.completions().poll(completionHandler, 16);
            wait.idle();
        }
    }

    /** Unsignaled requests that succeed make none. */
    void onCompletion(Completion completion) {
        check(completion);
    }

    @Override
    final boolean isComplete(long messages) {
        return arrived == messages;
    }
}
