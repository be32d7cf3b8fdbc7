package io.verbena.papers.receive;

import io.verbena.nic.Completion;
import io.verbena.nic.Nic;
import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.ReceiveRequest;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.WcOpcode;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The receiver of {@link PerSenderBuffers}. A sender is told what was consumed when that is a quarter of its buffer,
 * and when nothing comes: so a message as long as the buffer finds it empty some time.
 */
final class PerSenderReceiver extends ReceiverEnd {
    private static final int CREDITS = 4; // WRITEs of a counter under way

    private final int ringLength;
    private final List<Ring> rings = new ArrayList<>();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final SendRequest credit = new SendRequest();
    private final UnsafeBuffer counter = new UnsafeBuffer(new byte[BitUtil.SIZE_OF_LONG]);

    /** A sender's buffer. */
    private static final class Ring {
        final MemoryRegion memory;
        int creditKey;
        long consumed;
        long told;

        Ring(MemoryRegion memory) {
            this.memory = memory;
        }
    }

    PerSenderReceiver(String label, Nic nic, SchemeSettings settings, int ringLength) {
        super(label, nic, settings, settings.window() + CREDITS);
        this.ringLength = ringLength;
    }

    @Override
    QueuePair[] createQueuePairs(int sender) {
        completions.resize((settings.window() + CREDITS) * (sender + 1));
        rings.add(new Ring(domain.allocate(ringLength, Access.LOCAL_WRITE | Access.REMOTE_WRITE)));
        return new QueuePair[] {
            domain.createQueuePair(new QueuePairAttributes()
                    .completionQueue(completions)
                    .maxSend(CREDITS)
                    .maxReceive(settings.window())
                    .maxSge(1)
                    .maxInline(BitUtil.SIZE_OF_LONG))
        };
    }

    @Override
    long[] invitation(int sender) {
        return new long[] {sender, rings.get(sender).memory.key(), ringLength};
    }

    @Override
    void accepted(int sender, SchemeAddress answer) {
        rings.get(sender).creditKey = (int) answer.word(1);
        for (int i = 0; i < settings.window(); i++) {
            queuePair(sender, 0).postReceive(receive.clear());
        }
    }

    @Override
    void receive(int limit) {
        if (pollCompletions(limit) == 0) {
            for (int i = 0; i < rings.size(); i++) {
                tell(i, rings.get(i));
            }
        }
    }

    @Override
    void onCompletion(Completion completion) {
        if (completion.opcode() != WcOpcode.RECEIVE_WRITE_IMMEDIATE) {
            return;
        }
        int sender = senderOf(completion.qpNumber());
        Ring ring = rings.get(sender);
        int at = completion.immediate() * PerSenderBuffers.UNIT;
        int expected = (int) (ring.consumed % ringLength);
        if (at != expected) {
            ring.consumed += ringLength - expected; // the rest was too short
        }
        int length = completion.byteLength() - PerSenderBuffers.HEADER;
        int number = (int) ring.memory.buffer().getLong(at);
        try {
            deliver(ring.memory.buffer(), at + PerSenderBuffers.HEADER, length, sender, number);
        } finally {
            ring.consumed += PerSenderBuffers.record(length);
            queuePair(sender, 0).postReceive(receive.clear());
            if (ring.consumed - ring.told >= ringLength / 4) {
                tell(sender, ring);
            }
        }
    }

    private void tell(int sender, Ring ring) {
        if (ring.consumed == ring.told) {
            return;
        }
        counter.putLong(0, ring.consumed);
        credit.write(ring.creditKey, 0).inline(counter, 0, BitUtil.SIZE_OF_LONG).signaled(false);
        if (queuePair(sender, 0).postSend(credit) == PostResult.POSTED) {
            ring.told = ring.consumed;
        }
    }

    /** What senders have written is not seen before it is taken, so all of it counts as reserve. */
    @Override
    public SchemeFootprint footprint() {
        long bytes = (long) rings.size() * ringLength;
        return new SchemeFootprint(0, bytes, bytes, bytes);
    }

    @Override
    void release() {
        for (Ring ring : rings) {
            domain.deregister(ring.memory);
        }
    }
}
