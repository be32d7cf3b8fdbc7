package io.verbena.bench.path;

import io.verbena.bench.BenchException;
import io.verbena.bench.fabric.FabricKind;
import io.verbena.nic.Completion;

/** READ: a round trip is a READ's completion; the far end does no more than run its engine. */
final class ReadEnd extends VerbenaEnd {
    private static final long MARK = 0x5645_5242_454E_4131L;

    private int completed;

    ReadEnd(FabricKind fabric, int length) {
        super(fabric, length);
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
        region.buffer().putLong(0, MARK);
    }

    @Override
    void fill(long number) {
        request.read(remoteKey, 0)
                .local(region.key(), slotLength, length)
                .wrId(number)
                .signaled(true);
        region.buffer().putLong(slotLength, 0);
    }

    @Override
    int take(int limit) {
        int before = completed;
        pollCompletions(limit);
        return completed - before;
    }

    @Override
    public int poll(int limit) {
        return take(limit);
    }

    @Override
    void onCompletion(Completion completion) {
        super.onCompletion(completion);
        long found = region.buffer().getLong(slotLength);
        if (found != MARK) {
            throw new BenchException(
                    "READ brought 0x" + Long.toHexString(found) + ", expected 0x" + Long.toHexString(MARK));
        }
        completed++;
        accept(completion.wrId());
    }
}
