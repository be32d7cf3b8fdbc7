package io.verbena.bench.perftest;

import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.verification.RunException;
import org.agrona.DirectBuffer;

/** APPEND: a message is a record in the append queue. */
final class AppendPingPong extends PingPong {
    private final AppendQueue inbox;
    private final AppendHandler handler = this::onMessage;

    AppendPingPong(TestEnd end, PerftestSettings settings, SpinWait wait, boolean initiator) {
        super(end, settings, wait, initiator);
        this.inbox = end.inbox();
    }

    @Override
    int poll() {
        int taken = inbox.poll(handler, 1);
        if (taken == 0) {
            turnNowAndThen();
        }
        return taken;
    }

    private void onMessage(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
        long message = arrived();
        arrive();
        if (settings.validate()) {
            if (length != end.size()) {
                throw new RunException(
                        "message " + message + " of " + end.size() + " bytes came as " + length + " bytes");
            }
            end.pattern().verify(buffer, offset, length, message);
        }
    }
}
