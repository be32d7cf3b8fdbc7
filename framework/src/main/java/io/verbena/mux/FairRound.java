package io.verbena.mux;

import org.jspecify.annotations.Nullable;

/**
 * Egress queues in the order of their messages' tags ({@link FairOrder}), in place of turns. A queue's first message
 * alone stands here: the tag that the next one had at its arrival is the same when it is made as the one before is
 * served, for a queue that has something waiting is never behind the clock. Of equal tags that is next which came to
 * the head of its queue first.
 *
 * <p>A queue has credit while a message of it stands here that was not sent. One that has none has sent it, or had none
 * when it came: it has its place anew as it is looked at. What the peer has not taken is sent again by the tag that its
 * queue has here by then.
 *
 * <p>Under the engine's baton.
 */
final class FairRound extends Round {
    private static final int ONE = 1; // message

    private final FairOrder<EgressQueue> order = new FairOrder<>();

    FairRound() {
        super(ONE);
    }

    @Override
    boolean isEmpty() {
        return order.isEmpty();
    }

    @Override
    void append(Member member) {
        EgressQueue first = order.first();
        if (first != null && first.credit <= 0) {
            again(first); // by now the clock is where that was sent
        }
        stand((EgressQueue) member);
    }

    private void stand(EgressQueue queue) {
        if (queue.hasNext()) {
            queue.credit = ONE;
            order.add(queue, queue.tag, queue.nextLength(), queue.weight());
        } else {
            queue.credit = 0;
            order.addFree(queue);
        }
    }

    private void again(EgressQueue first) {
        serve(first);
        stand(first);
    }

    private void serve(EgressQueue first) {
        order.take();
        first.tag = order.clock();
    }

    @Override
    void removeFirst() {
        EgressQueue first = order.first();
        if (first != null && first.credit <= 0) {
            serve(first);
        } else {
            order.withdraw(); // what it has there is charged when it is sent
        }
    }

    @Override
    @Nullable
    Member turn() {
        EgressQueue first = order.first();
        while (first != null && first.credit <= 0 && first.hasNext()) {
            again(first);
            first = order.first();
        }
        return first;
    }
}
