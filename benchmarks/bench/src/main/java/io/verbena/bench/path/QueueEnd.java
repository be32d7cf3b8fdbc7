package io.verbena.bench.path;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;

/**
 * JCTools queues, one a direction, within a process. What they pass on are references to message objects that were made
 * beforehand and are used in turn; into each the payload is copied, as into any other path, and the receiver reads it
 * there. So nothing is allocated, and a message costs its bytes, not just a reference.
 */
final class QueueEnd extends End {
    private static final int MAX_MESSAGES = 4096;
    private static final int MEMORY = 1 << 20;
    private static final int MIN_MESSAGES = 4;

    /** Both directions of a path. */
    private record Queues(MessagePassingQueue<UnsafeBuffer> toFar, MessagePassingQueue<UnsafeBuffer> toNear) {}

    private final MessagePassingQueue<UnsafeBuffer> in;
    private final Sender sender;
    private final MessagePassingQueue.Consumer<UnsafeBuffer> handler = this::onMessage;

    QueueEnd(Rendezvous rendezvous, boolean near, boolean manyProducers, PathSettings settings) {
        super(settings);
        Queues queues;
        if (near) {
            queues = new Queues(queue(manyProducers), queue(manyProducers));
            rendezvous.hand(queues);
        } else {
            queues = rendezvous.handed(Queues.class);
        }
        in = near ? queues.toNear : queues.toFar;
        MessagePassingQueue<UnsafeBuffer> out = near ? queues.toFar : queues.toNear;
        sender = new Sender(out, 0);
        if (near) {
            openProducers(index -> new Sender(out, index), () -> {});
        }
        rendezvous.meet(() -> {});
    }

    private int capacity() {
        int fitting = Integer.highestOneBit(Math.max(MIN_MESSAGES, MEMORY / settings.slotLength()));
        return Math.min(MAX_MESSAGES, fitting);
    }

    private MessagePassingQueue<UnsafeBuffer> queue(boolean manyProducers) {
        return manyProducers ? new MpscVarHandleArrayQueue<>(capacity()) : new SpscVarHandleArrayQueue<>(capacity());
    }

    @Override
    public boolean offer(long number) {
        return sender.offer(number);
    }

    @Override
    int receive(int limit) {
        return in.drain(handler, limit);
    }

    private void onMessage(UnsafeBuffer buffer) {
        accept(Stamp.get(buffer, 0, length));
    }

    /** One thread's way into a queue, with messages of its own: more than the queue can hold, and one is being read. */
    private final class Sender extends Producer {
        private final MessagePassingQueue<UnsafeBuffer> out;
        private final UnsafeBuffer source;
        private final UnsafeBuffer[] messages;
        private final long lane;
        private int next;

        Sender(MessagePassingQueue<UnsafeBuffer> out, int index) {
            super(settings.waiting());
            this.out = out;
            lane = (long) index << LANE_SHIFT;
            source = newMessage();
            messages = new UnsafeBuffer[2 * capacity()];
            for (int i = 0; i < messages.length; i++) {
                messages[i] = newMessage();
            }
        }

        private UnsafeBuffer newMessage() {
            return new UnsafeBuffer(BufferUtil.allocateDirectAligned(settings.slotLength(), BitUtil.CACHE_LINE_LENGTH));
        }

        @Override
        public boolean offer(long number) {
            UnsafeBuffer message = messages[next];
            Stamp.put(source, 0, length, lane | number);
            message.putBytes(0, source, 0, length);
            if (!out.relaxedOffer(message)) {
                return false;
            }
            next = next + 1 & messages.length - 1;
            return true;
        }
    }
}
