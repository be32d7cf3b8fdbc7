package io.verbena.bench.perftest;

import io.verbena.nic.Completion;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.verification.RunException;

/** SEND: a message is its receive's completion. */
final class SendPingPong extends PingPong {
    SendPingPong(TestEnd end, PerftestSettings settings, SpinWait wait, boolean initiator) {
        super(end, settings, wait, initiator);
        for (int i = 0; i < Math.min(end.slots(), settings.rxDepth()); i++) {
            end.postReceive(0, i);
        }
    }

    @Override
    int poll() {
        long before = arrived();
        turnNowAndThen();
        return (int) (arrived() - before);
    }

    @Override
    void onCompletion(Completion completion) {
        check(completion);
        if (completion.opcode() == WcOpcode.RECEIVE) {
            long message = arrived();
            arrive();
            if (settings.validate()) {
                if (completion.byteLength() != end.size() || completion.wrId() != message) {
                    throw new RunException("message " + message + " of " + end.size() + " bytes came as "
                            + completion.byteLength() + " bytes in receive " + completion.wrId());
                }
                end.pattern().verify(end.arrivals(), end.slotOffset(0, message), end.size(), message);
            }
            end.postReceive(0, message + Math.min(end.slots(), settings.rxDepth()));
        }
    }
}
