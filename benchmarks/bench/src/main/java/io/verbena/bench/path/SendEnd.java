package io.verbena.bench.path;

import io.verbena.nic.Completion;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.verification.fabric.FabricKind;
import java.time.Duration;

/**
 * SEND: a message is the completion of a receive. As many are posted as sends can be outstanding on all queue pairs:
 * each queue pair's own, or those of one queue that all share. A receive is posted anew as soon as its message has been
 * looked at.
 */
final class SendEnd extends VerbenaEnd {
    private final int receives; // where they begin in the region
    private final int slotLength;
    private final int depth; // receives of a queue pair
    private int received;

    SendEnd(PathVerb verb, FabricKind fabric, boolean near, PathSettings settings) {
        super(verb, fabric, near, settings);
        receives = initiator.layout.receive(0);
        slotLength = initiator.layout.slotLength();
        depth = initiator.layout.receiveDepth();
    }

    @Override
    boolean isDirectArrival() {
        return false;
    }

    @Override
    void prepare() {
        for (int i = 0; i < initiator.qps.length * depth; i++) {
            postReceive(i);
        }
    }

    private void postReceive(int slot) {
        long at = receives + (long) slot * slotLength;
        SharedReceiveQueue shared = initiator.shared;
        if (shared == null) {
            initiator.qps[slot / depth].postReceive(slot, initiator.region.key(), at, length);
        } else {
            shared.postReceive(slot, initiator.region.key(), at, length);
        }
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
    public boolean await(Duration longest) {
        initiator.await(longest.toNanos());
        return true;
    }

    @Override
    void onCompletion(Completion completion) {
        if (completion.opcode() == WcOpcode.RECEIVE) {
            int slot = (int) completion.wrId();
            Stamp.checkLength(completion.byteLength(), length);
            long number = Stamp.get(initiator.region.buffer(), receives + slot * slotLength, length);
            postReceive(slot);
            received++;
            accept(number);
        }
    }
}
