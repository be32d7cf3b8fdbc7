package io.verbena.papers.receive;

import io.verbena.nic.Nic;
import org.agrona.DirectBuffer;
import org.agrona.collections.IntArrayQueue;

/**
 * The sender of {@link OnDemandLarge.Form#DEMAND_PAGING}: a large message goes by a queue pair of its own at once, and
 * its length, in the same order, by that of the small ones.
 */
final class AnnouncingSender extends SenderEnd {
    private static final int SMALL = 0;
    private static final int LARGE = 1;

    private final int cut;
    private final int largest;
    private final ControlMessage control = new ControlMessage();
    private final IntArrayQueue unannounced = new IntArrayQueue(Integer.MIN_VALUE); // lengths

    AnnouncingSender(Nic nic, SchemeSettings settings, int cut, int largest) {
        super(nic, settings, 2, 1);
        this.cut = cut;
        this.largest = largest;
    }

    @Override
    public boolean offer(DirectBuffer buffer, int offset, int length, int number) {
        checkLength(length, largest);
        request.sendImmediate(number);
        if (length <= cut) {
            return postMessage(lane(SMALL), buffer, offset, length);
        }
        if (!postMessage(lane(LARGE), buffer, offset, length)) {
            return false;
        }
        unannounced.addInt(length);
        advance();
        return true;
    }

    @Override
    void advance() {
        while (!unannounced.isEmpty()) {
            control.put(0, 0, unannounced.peekInt(), 0);
            request.send().inline(control.buffer(), 0, ControlMessage.LENGTH).signaled(false);
            if (!post(lane(SMALL), SourceRing.NONE, false)) {
                return;
            }
            unannounced.removeInt();
        }
    }
}
