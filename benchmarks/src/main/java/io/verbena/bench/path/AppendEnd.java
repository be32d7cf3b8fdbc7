package io.verbena.bench.path;

import io.verbena.bench.fabric.FabricKind;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import org.agrona.DirectBuffer;

/** APPEND: a message is a record in the other end's append queue, which all its queue pairs and producers share. */
final class AppendEnd extends VerbenaEnd {
    private final AppendHandler handler = this::onMessage;
    private final AppendQueue queue;

    AppendEnd(FabricKind fabric, boolean near, PathSettings settings) {
        super(Verb.APPEND, fabric, near, settings);
        queue = inbox();
    }

    @Override
    boolean isDirectArrival() {
        return true;
    }

    @Override
    int take(int limit) {
        return queue.poll(handler, limit);
    }

    private void onMessage(DirectBuffer buffer, int offset, int bytes, int qpNumber, int immediate, int flags) {
        Stamp.checkLength(bytes, length);
        accept(Stamp.get(buffer, offset, length));
    }
}
