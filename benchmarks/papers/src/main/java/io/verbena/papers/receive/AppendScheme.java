package io.verbena.papers.receive;

import io.verbena.nic.Nic;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.AppendQueueStatistics;
import org.agrona.DirectBuffer;

/**
 * One append queue for everything (RIMA, Table 6 row 6): a queue pair a sender, messages of any size, nothing posted.
 */
public final class AppendScheme extends Scheme {
    private final AppendQueueAttributes attributes;

    /**
     * With the defaults of queue pairs.
     *
     * @param attributes of the queue; not to be changed any more
     */
    public AppendScheme(AppendQueueAttributes attributes) {
        this.attributes = attributes;
    }

    @Override
    public String label() {
        return "append queue";
    }

    @Override
    public ReceiveScheme receiver(Nic nic) {
        return new Receiver(nic);
    }

    @Override
    public SendScheme sender(Nic nic) {
        return new Sender(nic);
    }

    private final class Receiver extends ReceiverEnd {
        private static final int DEPTH = 16; // nothing but errors completes here

        private final AppendQueue queue;
        private final AppendHandler handler = this::onRecord;

        Receiver(Nic nic) {
            super(AppendScheme.this.label(), nic, AppendScheme.this.settings, DEPTH);
            queue = domain.createAppendQueue(attributes);
        }

        @Override
        QueuePair[] createQueuePairs(int sender) {
            return new QueuePair[] {
                domain.createQueuePair(new QueuePairAttributes()
                        .completionQueue(completions)
                        .maxSend(1)
                        .maxReceive(1)
                        .maxSge(1))
            };
        }

        @Override
        long[] invitation(int sender) {
            return new long[] {sender, queue.id(), queue.key()};
        }

        @Override
        void receive(int limit) {
            if (queue.poll(handler, limit) == 0) {
                pollCompletions(1);
            }
        }

        private void onRecord(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
            deliver(buffer, offset, length, senderOf(qpNumber), immediate);
        }

        @Override
        public long holes() {
            return queue.query().holes();
        }

        @Override
        public SchemeFootprint footprint() {
            AppendQueueStatistics now = queue.query();
            return new SchemeFootprint(now.depth(), now.announcedFree(), now.footprint(), now.highWater());
        }

        @Override
        void release() {
            queue.destroy(true);
        }
    }

    private final class Sender extends SenderEnd {
        private int queueId;
        private int queueKey;

        Sender(Nic nic) {
            super(nic, AppendScheme.this.settings, 1, 1);
        }

        @Override
        long[] connected(SchemeAddress invitation) {
            queueId = (int) invitation.word(1);
            queueKey = (int) invitation.word(2);
            return super.connected(invitation);
        }

        @Override
        public boolean offer(DirectBuffer buffer, int offset, int length, int number) {
            checkLength(length, attributes.maxMessage());
            request.appendImmediate(queueId, queueKey, number);
            return postMessage(lane(0), buffer, offset, length);
        }
    }
}
