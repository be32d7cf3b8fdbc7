package io.verbena.bench.path;

import io.verbena.bench.fabric.FabricKind;
import io.verbena.nic.append.AppendHandler;
import org.agrona.DirectBuffer;

/** APPEND, inline: a message is a record in the other end's append queue. */
final class AppendEnd extends VerbenaEnd {
    private final AppendHandler handler = this::onMessage;

    AppendEnd(FabricKind fabric, int length) {
        super(fabric, length);
    }

    @Override
    boolean isDirectArrival() {
        return true;
    }

    @Override
    void fill(long number) {
        message.putLong(0, number);
        request.append(remoteQueue, remoteQueueKey).inline(message, 0, length).signaled(false);
    }

    @Override
    int take(int limit) {
        return inbox.poll(handler, limit);
    }

    private void onMessage(DirectBuffer buffer, int offset, int bytes, int qpNumber, int immediate, int flags) {
        accept(buffer.getLong(offset));
    }
}
