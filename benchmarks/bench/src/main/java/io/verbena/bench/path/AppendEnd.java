package io.verbena.bench.path;

import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.verification.fabric.FabricKind;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;

/** APPEND: a message is a record in the other end's append queue, which all its queue pairs and producers share. */
final class AppendEnd extends VerbenaEnd {
    private final AppendHandler handler = this::onMessage;
    private final AppendQueue queue;
    private final BooleanSupplier hasMessage;

    AppendEnd(FabricKind fabric, boolean near, PathSettings settings) {
        super(PathVerb.APPEND, fabric, near, settings);
        queue = inbox();
        hasMessage = () -> !queue.isEmpty();
    }

    @Override
    boolean isDirectArrival() {
        return true;
    }

    @Override
    int take(int limit) {
        return queue.poll(handler, limit);
    }

    @Override
    public boolean await(Duration longest) {
        initiator.await(longest.toNanos(), hasMessage);
        return true;
    }

    private void onMessage(DirectBuffer buffer, int offset, int bytes, int qpNumber, int immediate, int flags) {
        Stamp.checkLength(bytes, length);
        accept(Stamp.get(buffer, offset, length));
    }
}
