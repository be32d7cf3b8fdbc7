package io.verbena.verification.simulate;

import io.verbena.nic.Completion;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;

/** A completion, kept. */
record KeptCompletion(
        long wrId,
        WcStatus status,
        WcOpcode opcode,
        int qp,
        int peerQp,
        int length,
        boolean hasImmediate,
        int immediate,
        boolean invalidates,
        int invalidated) {
    static KeptCompletion of(Completion c) {
        return new KeptCompletion(
                c.wrId(),
                c.status(),
                c.opcode(),
                c.qpNumber(),
                c.peerQp(),
                c.byteLength(),
                c.hasImmediate(),
                c.immediate(),
                c.hasInvalidatedKey(),
                c.invalidatedKey());
    }

    boolean isSuccess() {
        return status == WcStatus.SUCCESS;
    }
}
