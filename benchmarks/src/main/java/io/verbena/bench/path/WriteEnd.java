package io.verbena.bench.path;

import io.verbena.bench.fabric.FabricKind;

/**
 * WRITE, inline: the target watches the last 8 bytes of one slot, so that one message at a time may be under way. The
 * message's number is in its first and, for this, plus one in its last bytes.
 */
final class WriteEnd extends VerbenaEnd {
    private final int last;

    WriteEnd(FabricKind fabric, int length) {
        super(fabric, length);
        last = length - Long.BYTES;
    }

    @Override
    boolean isDirectArrival() {
        return true;
    }

    @Override
    void fill(long number) {
        message.putLong(0, number);
        message.putLong(last, number + 1);
        request.write(remoteKey, 0).inline(message, 0, length).signaled(false);
    }

    @Override
    int take(int limit) {
        long number = region.buffer().getLongVolatile(last) - 1;
        if (number != taken()) {
            return 0;
        }
        accept(last == 0 ? number : region.buffer().getLong(0));
        return 1;
    }
}
