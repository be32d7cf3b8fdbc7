package io.verbena.bench.check.messages;

import io.verbena.Channel;
import io.verbena.InboxOptions;
import io.verbena.Node;
import io.verbena.Request;
import io.verbena.Responder;
import io.verbena.SendResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The responders of a hub: one answers from its callback, the other later, in any order, by the hub's driver. A request
 * without bytes is not answered; it lets those answers be tried again that found no room.
 */
final class Answers {
    static final String NOW = "now";
    static final String LATER = "later";
    /** Bytes of the longest answer. */
    static final int MAX_ANSWER = 32 << 10;

    private static final int MAX_REQUEST = 256 << 10;
    private static final int KEPT = 24;

    private record Due(Channel channel, long correlationId, long identity) {}

    private final MessageContent content;
    private final NodeArrivals arrivals;
    private final Entrance entrance;
    private final SplittableRandom random;
    private final UnsafeBuffer nowBuffer = new UnsafeBuffer(new byte[MAX_ANSWER]);
    private final UnsafeBuffer laterBuffer = new UnsafeBuffer(new byte[MAX_ANSWER]);
    private final ArrayDeque<Due> waitingNow = new ArrayDeque<>(); // the callback's
    private final List<Due> waitingLater = new ArrayList<>(); // the driver's
    private @Nullable Responder later;
    private volatile int waiting;

    Answers(MessageContent content, NodeArrivals arrivals, Entrance entrance, SplittableRandom random) {
        this.content = content;
        this.arrivals = arrivals;
        this.entrance = entrance;
        this.random = random;
    }

    void open(Node node) {
        InboxOptions options = new InboxOptions().chunkLength(128 << 10).maxMessage(MAX_REQUEST);
        node.openResponder(NOW, options)
                .onRequest(r -> entrance.enter("the callback of responder '" + NOW + "'", () -> now(r)));
        later = node.openResponder(
                LATER, new InboxOptions().chunkLength(128 << 10).maxMessage(MAX_REQUEST));
    }

    /** Bytes of the answer to a request. */
    static int length(long identity) {
        return (int) (MessageContent.mix(identity) & 0x7FFF_FFFF) % ((identity & 15) == 0 ? MAX_ANSWER : 300);
    }

    /** The answer to a request. */
    static long answer(long identity) {
        return MessageContent.identity(
                HubInbox.RESPONSE.code(), MessageContent.stream(identity), MessageContent.number(identity));
    }

    private long take(Request r) {
        return arrivals.accept(HubInbox.REQUEST, 0, r.channel(), r.buffer(), r.offset(), r.length(), 0);
    }

    private void now(Request r) {
        while (!waitingNow.isEmpty() && send(waitingNow.peek(), nowBuffer)) {
            waitingNow.remove();
        }
        if (r.length() > 0) {
            long identity = take(r);
            if (identity >= 0) {
                Due due = new Due(r.channel(), r.correlationId(), identity);
                boolean batched = (identity & 1) == 0 && waitingNow.isEmpty();
                if (batched ? !enqueue(r, identity) : !waitingNow.isEmpty() || !send(due, nowBuffer)) {
                    waitingNow.add(due);
                }
            }
        }
        waiting = waitingNow.size();
    }

    private boolean enqueue(Request r, long identity) {
        int length = length(identity);
        content.fill(nowBuffer, 0, answer(identity), length);
        return r.enqueue(nowBuffer, 0, length) != SendResult.BACK_PRESSURED;
    }

    private boolean send(Due due, UnsafeBuffer buffer) {
        int length = length(due.identity());
        content.fill(buffer, 0, answer(due.identity()), length);
        return Responder.reply(due.channel(), due.correlationId(), buffer, 0, length) != SendResult.BACK_PRESSURED;
    }

    /** Takes requests that are answered later, and answers some; by the driver. @return how many */
    int work() {
        Responder responder = later;
        if (responder == null) {
            return 0;
        }
        int work = responder.poll(
                r -> {
                    long identity = r.length() == 0 ? -1 : take(r);
                    if (identity >= 0) {
                        waitingLater.add(new Due(r.channel(), r.correlationId(), identity));
                    }
                },
                32);
        boolean few = waitingLater.size() <= KEPT;
        for (int i = few ? random.nextInt(2) : 8; i > 0 && !waitingLater.isEmpty(); i--) {
            int at = random.nextInt(waitingLater.size());
            if (!send(waitingLater.get(at), laterBuffer)) {
                break;
            }
            Due last = waitingLater.remove(waitingLater.size() - 1);
            if (at < waitingLater.size()) {
                waitingLater.set(at, last);
            }
            work++;
        }
        return work;
    }

    int waiting() {
        return waiting + waitingLater.size();
    }
}
