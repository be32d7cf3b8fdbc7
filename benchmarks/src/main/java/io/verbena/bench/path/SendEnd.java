package io.verbena.bench.path;

import io.verbena.bench.fabric.FabricKind;
import io.verbena.nic.Completion;
import io.verbena.nic.WcOpcode;

/** SEND: a message is the completion of a receive. A queue pair has as many receives posted as sends can be outstanding. */
final class SendEnd extends VerbenaEnd {
    private int received;

    SendEnd(FabricKind fabric, boolean near, PathSettings settings) {
        super(Verb.SEND, fabric, near, settings);
    }

    @Override
    boolean isDirectArrival() {
        return false;
    }

    @Override
    void prepare() {
        for (int i = 0; i < initiator.qps.length * initiator.receiveDepth; i++) {
            postReceive(i);
        }
    }

    private void postReceive(int slot) {
        initiator.qps[slot / initiator.receiveDepth].postReceive(
                slot, initiator.region.key(), initiator.receiveBase + (long) slot * initiator.slotLength, length);
    }

    @Override
    int take(int limit) {
        int before = received;
        initiator.poll(limit);
        return received - before;
    }

    @Override
    int receive(int limit) {
        return take(limit); // polling for completions gives the engine its turns
    }

    @Override
    public boolean await(long nanos) {
        initiator.await(nanos);
        return true;
    }

    @Override
    void onCompletion(Completion completion) {
        if (completion.opcode() == WcOpcode.RECEIVE) {
            int slot = (int) completion.wrId();
            Stamp.checkLength(completion.byteLength(), length);
            long number =
                    Stamp.get(initiator.region.buffer(), initiator.receiveBase + slot * initiator.slotLength, length);
            postReceive(slot);
            received++;
            accept(number);
        }
    }
}
