package io.verbena.bench.path;

import io.verbena.nic.Completion;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.time.Duration;
import org.agrona.concurrent.AtomicBuffer;

/**
 * WRITE, READ or fetch-and-add with many requests outstanding: what counts is the initiator's completions, one a batch;
 * the far end does no more than run its engine.
 *
 * <p>What was done is checked: of each READ signaled, and of each fetch-and-add, the value; of WRITEs the last of each
 * queue pair is read back by {@link #finish}, and now and then: after 1,024, and ever more up to
 * {@value #CHECK_INTERVAL}.
 */
final class OneSidedEnd extends VerbenaEnd {
    private static final int CHECK_INTERVAL = 1 << 20;
    private static final long MARK = 0x5645_5242_454E_0000L;
    private static final long CHECKED = Long.MIN_VALUE;

    private final PathVerb verb;
    private final boolean near;
    private final AtomicBuffer memory;
    private final long[] done;
    private int completed;
    private long checkAt = 1024;
    private boolean checking;
    private boolean readBack;

    OneSidedEnd(PathVerb verb, FabricKind fabric, boolean near, PathSettings settings) {
        super(verb, fabric, near, settings);
        this.verb = verb;
        this.near = near;
        memory = initiator.region.buffer();
        done = new long[settings.queuePairs()];
    }

    @Override
    boolean isDirectArrival() {
        return false;
    }

    @Override
    public boolean isAnswered() {
        return false;
    }

    @Override
    void prepare() {
        if (verb == PathVerb.READ) {
            for (int i = 0; i < initiator.qps.length * initiator.layout.slots(); i++) {
                Stamp.put(memory, initiator.layout.target(i), length, MARK + i);
            }
        }
    }

    @Override
    public boolean await(Duration longest) {
        initiator.await(longest.toNanos());
        return true;
    }

    @Override
    int receive(int limit) {
        int before = completed;
        if (initiator.poll(limit) == 0) {
            takeUnsignaled();
        }
        if (taken() >= checkAt) {
            checkAt += Math.min(checkAt, CHECK_INTERVAL);
            check();
        }
        return completed - before;
    }

    @Override
    int take(int limit) {
        return receive(limit);
    }

    /** The end of a batch that was not filled makes no completion. */
    private void takeUnsignaled() {
        for (int i = 0; i < done.length; i++) {
            if (done[i] != initiator.posted(i) && initiator.isDone(i)) {
                initiator.poll(Initiator.POLL); // a completion may have come since
                complete(i, initiator.posted(i));
            }
        }
    }

    @Override
    void onCompletion(Completion completion) {
        if (completion.wrId() == CHECKED) {
            readBack = true;
            return;
        }
        int qp = (int) (completion.wrId() >>> LANE_SHIFT);
        complete(qp, (completion.wrId() & (1L << LANE_SHIFT) - 1) + 1);
    }

    private void complete(int qp, long count) {
        for (long number = done[qp]; number < count; number++) {
            if (verb != PathVerb.WRITE) {
                checkResult(qp, number);
            }
            done[qp] = number + 1;
            completed++;
            accept((long) qp << LANE_SHIFT | number);
        }
    }

    private void checkResult(int qp, long number) {
        int slot = initiator.layout.slotOf(qp, number);
        if (initiator.posted(qp) - number > initiator.layout.slots()) {
            return; // its slot is in use again
        }
        long found = memory.getLong(slot * initiator.layout.slotLength());
        long expected = verb == PathVerb.READ ? MARK + slot : number;
        if (found != expected) {
            throw new RunException(verb + " " + number + " brought 0x" + Long.toHexString(found) + ", expected 0x"
                    + Long.toHexString(expected));
        }
        if (verb == PathVerb.READ) {
            Stamp.get(memory, slot * initiator.layout.slotLength(), length);
        }
    }

    /** Waits for what is outstanding, and reads the last WRITE of each queue pair back. */
    private void check() {
        if (verb != PathVerb.WRITE || checking) {
            return;
        }
        checking = true;
        initiator.flush();
        WaitLimit deadline = WaitLimit.ofSeconds(10, "completion of all WRITEs");
        for (int i = 0; i < done.length; i++) {
            while (done[i] != initiator.posted(i)) {
                initiator.poll(Initiator.POLL);
                takeUnsignaled();
                deadline.check();
            }
            if (done[i] > 0) {
                readBack(i, deadline);
            }
        }
        checking = false;
    }

    private void readBack(int qp, WaitLimit deadline) {
        readBack = false;
        initiator.read(qp, initiator.layout.target(initiator.layout.slotOf(qp, done[qp] - 1)), CHECKED);
        while (!readBack) {
            initiator.poll(Initiator.POLL);
            deadline.check();
        }
        long found = Stamp.get(memory, initiator.layout.scratch(), length);
        long expected = (long) qp << LANE_SHIFT | done[qp] - 1;
        if (found != expected) {
            throw new RunException("WRITE " + expected + " is not there, but " + found);
        }
    }

    @Override
    public void finish() {
        if (near) {
            check();
        }
    }
}
