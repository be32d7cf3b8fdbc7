package io.verbena.bench.path;

import io.verbena.nic.memory.MemoryRegion;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;

/**
 * WRITE, a message at a time: the target watches the last and the first 8 bytes of the slot in which the next message
 * will land, and answers by a WRITE of its own.
 */
final class WriteEnd extends VerbenaEnd {
    private final MemoryRegion region;
    private int next;

    WriteEnd(FabricKind fabric, boolean near, PathSettings settings) {
        super(PathVerb.WRITE, fabric, near, settings);
        region = initiator.region;
        if (settings.queuePairs() != 1) {
            throw new RunException("queuePairs " + settings.queuePairs() + " > maximum 1 of a round trip");
        }
    }

    @Override
    boolean isDirectArrival() {
        return true;
    }

    @Override
    void prepare() {
        for (int i = 0; i < initiator.layout.slots(); i++) {
            Stamp.put(region.buffer(), initiator.layout.target(i), length, -1);
        }
    }

    private int tail(int slot) {
        return initiator.layout.target(slot) + length - Long.BYTES;
    }

    @Override
    int take(int limit) {
        long number = taken();
        if (region.buffer().getLongVolatile(tail(next)) != number
                || region.buffer().getLongVolatile(initiator.layout.target(next)) != number) {
            return 0; // a copy need not end with the last bytes
        }
        next = next + 1 & initiator.layout.slots() - 1;
        accept(number);
        return 1;
    }
}
