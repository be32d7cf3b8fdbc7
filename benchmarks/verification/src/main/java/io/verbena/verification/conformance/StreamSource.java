package io.verbena.verification.conformance;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What many send by one queue pair, each from a queue of its own and as a stream of its own, in turn: in short what a
 * node does for channels. A receiver that is not ready holds up those that send to it, and what is refused ends its
 * sender.
 */
final class StreamSource implements SendSource {
    private static final int DEPTH = 256;

    private final SendFeed feed;
    private final List<Sender> senders = new ArrayList<>();
    private final Deque<Sender> underWay = new ArrayDeque<>(); // whose the requests are in the queue pair's ring
    private long oldest; // number of the first of them
    private int turn;
    /** Requests that were taken back, each time that they were. */
    int takenBack;

    /** One of those who send. */
    final class Sender {
        final int stream;
        private final int queue;
        private final int key;
        private final SendRing requests = feed.queue(DEPTH);
        private long heldUntil; // 0: it may send
        /** Why it sends no more, if it does not. */
        @Nullable
        WcStatus refused;

        private Sender(int stream, int queue, int key) {
            this.stream = stream;
            this.queue = queue;
            this.key = key;
        }

        /** A request for its queue, of its stream; what is sent is still to be said. */
        SendRequest append(SendRequest request) {
            return request.append(queue, key).stream(stream);
        }

        /** The same with the application's own 32 bits. */
        SendRequest append(SendRequest request, int immediate) {
            return request.appendImmediate(queue, key, immediate).stream(stream);
        }

        /** Posts a request; the engine hears of it with the next {@link #ring}. */
        void post(SendRequest request) {
            if (feed.post(request, requests) != PostResult.POSTED) {
                throw new AssertionError("more than " + DEPTH + " requests of stream " + stream);
            }
            requests.publish();
        }

        /** Requests that are not complete. */
        int outstanding() {
            return requests.outstanding();
        }

        private boolean maySend() {
            return refused == null && heldUntil == 0 && requests.hasNext();
        }
    }

    /**
     * Lets nobody yet send by a queue pair.
     *
     * @param qp in RESET
     */
    StreamSource(QueuePair qp) {
        feed = qp.feed(this);
    }

    /** Another sender, to a queue of the peer's. */
    Sender sender(int stream, AppendQueue queue) {
        return sender(stream, queue.id(), queue.key());
    }

    /** Another sender, to a queue that may not be there. */
    Sender sender(int stream, int queueId, int queueKey) {
        Sender sender = new Sender(stream, queueId, queueKey);
        senders.add(sender);
        return sender;
    }

    /** Tells the engine of what was posted. */
    void ring() {
        feed.ring();
    }

    @Override
    public void fill(SendRing ring) {
        for (int idle = 0; idle < senders.size(); ) {
            Sender sender = senders.get(turn % senders.size());
            if (!sender.maySend()) {
                idle++;
            } else {
                int slot = ring.claim();
                if (slot < 0) {
                    break;
                }
                SendRing from = sender.requests;
                ring.buffer().putBytes(slot, from.buffer(), from.slot(from.next()), from.slotLength());
                ring.posted();
                from.advanceNext();
                underWay.add(sender);
                idle = 0;
            }
            turn++;
        }
        ring.publish();
    }

    @Override
    public void completed(long before) {
        for (; oldest < before; oldest++) {
            SendRing requests = underWay.remove().requests;
            requests.advanceHead();
            requests.releaseConsumed();
        }
    }

    @Override
    public boolean takesBack() {
        return true;
    }

    @Override
    public boolean waitsApart() {
        return true;
    }

    @Override
    public void takenBack(long first, long end, @Nullable WcStatus why, long now, long delayNanos, boolean begun) {
        Sender refused = underWay.element();
        for (long i = first; i < end; i++) {
            SendRing requests = underWay.removeLast().requests;
            requests.rewind(requests.next() - 1);
            takenBack++;
        }
        for (Sender sender : senders) {
            if (why == null && sender.queue == refused.queue) {
                sender.heldUntil = now + delayNanos;
            }
        }
        if (why != null) {
            refused.refused = why;
        }
    }

    @Override
    public long deadline() {
        return senders.stream()
                .mapToLong(s -> s.heldUntil)
                .filter(t -> t != 0)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    @Override
    public void onTimer(long now) {
        for (Sender sender : senders) {
            if (sender.heldUntil <= now) {
                sender.heldUntil = 0;
            }
        }
    }

    @Override
    public int weight() {
        return 1;
    }
}
