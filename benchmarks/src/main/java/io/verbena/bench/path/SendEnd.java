package io.verbena.bench.path;

import io.verbena.bench.fabric.FabricKind;
import io.verbena.nic.Completion;
import io.verbena.nic.WcOpcode;

/** SEND, inline: a message is the completion of a receive. As many receives are posted as sends can be outstanding. */
final class SendEnd extends VerbenaEnd {
    private int received;

    SendEnd(FabricKind fabric, int length) {
        super(fabric, length);
    }

    @Override
    boolean isDirectArrival() {
        return false;
    }

    @Override
    void prepare() {
        for (int i = 0; i < DEPTH; i++) {
            postReceive(i);
        }
    }

    private void postReceive(int slot) {
        qp.postReceive(slot, region.key(), (long) slot * slotLength, length);
    }

    @Override
    void fill(long number) {
        message.putLong(0, number);
        request.send().inline(message, 0, length).signaled(false);
    }

    @Override
    int take(int limit) {
        int before = received;
        pollCompletions(limit);
        return received - before;
    }

    @Override
    public int poll(int limit) {
        return take(limit); // polling for completions gives the engine its turns
    }

    @Override
    void onCompletion(Completion completion) {
        super.onCompletion(completion);
        if (completion.opcode() == WcOpcode.RECEIVE) {
            int slot = (int) completion.wrId();
            long number = region.buffer().getLong(slot * slotLength);
            postReceive(slot);
            received++;
            accept(number);
        }
    }
}
