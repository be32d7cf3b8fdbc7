package io.verbena.papers.receive;

import io.verbena.nic.Completion;
import io.verbena.nic.Nic;
import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.WcOpcode;
import java.util.ArrayDeque;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of {@link OnDemandLarge}: what is asked for waits until it is due and there is a place, in order; then
 * it gets memory of its length, which is given back when the message was handed out.
 */
final class OnDemandReceiver extends SrqReceiver {
    private static final int SMALL = 0; // queue pairs of a sender
    private static final int LARGE = 1;

    private final boolean posts;
    private final int places;
    private final long allocationNanos;
    private final ArrayDeque<Wanted> wanted = new ArrayDeque<>();
    private final IntArrayList free = new IntArrayList();
    private final @Nullable Granted[] granted;
    private final SendRequest answer = new SendRequest();
    private final ControlMessage control = new ControlMessage();
    private long largeBytes;
    private long mostLargeBytes;

    /** A large message that was asked for. */
    private record Wanted(int sender, int index, int number, int length, long due) {}

    /** A large message that has memory. */
    private record Granted(MemoryRegion region, int number, int length) {}

    OnDemandReceiver(
            String label,
            Nic nic,
            SchemeSettings settings,
            int cut,
            int smallBuffers,
            int places,
            long allocationNanos,
            boolean posts) {
        super(label, nic, settings, new int[] {cut}, new int[] {smallBuffers}, false, places, places);
        this.posts = posts;
        this.places = places;
        this.allocationNanos = allocationNanos;
        granted = new Granted[places];
        for (int i = places - 1; i >= 0; i--) {
            free.addInt(i);
        }
    }

    @Override
    QueuePair[] createQueuePairs(int sender) {
        QueuePair[] small = super.createQueuePairs(sender);
        if (!posts) {
            return small;
        }
        QueuePair large = domain.createQueuePair(attributes(1).maxReceive(places));
        return new QueuePair[] {small[SMALL], large};
    }

    @Override
    void receive(int limit) {
        super.receive(limit);
        work();
    }

    @Override
    void onReceive(int sender, AtomicBuffer memory, int offset, Completion completion) {
        if (completion.opcode() == WcOpcode.RECEIVE_WRITE_IMMEDIATE) {
            int place = completion.immediate();
            Granted message = at(place);
            handOut(sender, place, message.length(), message.number());
        } else if (completion.hasImmediate()) {
            super.onReceive(sender, memory, offset, completion);
        } else {
            wanted.add(new Wanted(
                    sender,
                    ControlMessage.index(memory, offset),
                    ControlMessage.number(memory, offset),
                    ControlMessage.length(memory, offset),
                    now() + allocationNanos));
        }
    }

    @Override
    void onLarge(int sender, int place, Completion completion) {
        handOut(sender, place, completion.byteLength(), completion.immediate());
    }

    private Granted at(int place) {
        Granted message = place < 0 || place >= places ? null : granted[place];
        if (message == null) {
            throw new IllegalStateException("large message " + place + " of " + places + " was not granted");
        }
        return message;
    }

    private void handOut(int sender, int place, int length, int number) {
        Granted message = at(place);
        try {
            deliver(message.region().buffer(), 0, length, sender, number);
        } finally {
            granted[place] = null;
            free.addInt(place);
            largeBytes -= message.length();
            domain.deregister(message.region());
        }
    }

    @Override
    int work() {
        int count = 0;
        while (true) {
            Wanted next = wanted.peek();
            if (next == null || next.due() > now() || free.isEmpty() || !grant(next)) {
                return count;
            }
            wanted.remove();
            count++;
        }
    }

    private boolean grant(Wanted next) {
        int place = free.getInt(free.size() - 1);
        MemoryRegion region = domain.allocate(next.length(), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        boolean done = posts
                ? queuePair(next.sender(), LARGE)
                                .postReceive(
                                        (long) pools.length << Integer.SIZE | place, region.key(), 0, next.length())
                        == PostResult.POSTED
                : answer(next, place, region.key());
        if (!done) {
            domain.deregister(region);
            return false;
        }
        free.removeAt(free.size() - 1);
        granted[place] = new Granted(region, next.number(), next.length());
        largeBytes += next.length();
        mostLargeBytes = Math.max(mostLargeBytes, largeBytes);
        return true;
    }

    private boolean answer(Wanted next, int place, int key) {
        control.put(next.index(), place, next.length(), key);
        answer.send().inline(control.buffer(), 0, ControlMessage.LENGTH).signaled(false);
        return queuePair(next.sender(), SMALL).postSend(answer) == PostResult.POSTED;
    }

    @Override
    public SchemeFootprint footprint() {
        long small = bytes();
        long posted = postedBytes();
        return new SchemeFootprint(small - posted + largeBytes, posted, small + largeBytes, small + mostLargeBytes);
    }

    @Override
    void release() {
        for (Granted message : granted) {
            if (message != null) {
                domain.deregister(message.region());
            }
        }
        super.release();
    }
}
