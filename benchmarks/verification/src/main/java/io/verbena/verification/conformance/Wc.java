package io.verbena.verification.conformance;

import io.verbena.nic.Completion;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import org.jspecify.annotations.Nullable;

/** A copy of a completion, kept. With an error only what is valid then. */
record Wc(
        long wrId,
        WcStatus status,
        @Nullable WcOpcode opcode,
        int byteLength,
        boolean hasImmediate,
        int immediate,
        int qp) {
    static Wc of(Completion c) {
        return new Wc(
                c.wrId(),
                c.status(),
                c.isSuccess() ? c.opcode() : null,
                c.isSuccess() ? c.byteLength() : 0,
                c.isSuccess() && c.hasImmediate(),
                c.isSuccess() && c.hasImmediate() ? c.immediate() : 0,
                c.qpNumber());
    }

    boolean isSuccess() {
        return status == WcStatus.SUCCESS;
    }
}
