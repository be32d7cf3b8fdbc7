package io.verbena.bench.perftest;

import io.verbena.nic.Completion;
import io.verbena.verification.RunException;

/** A request ended in a status other than success; the other side may know more of why. */
final class RequestFailedException extends RunException {
    RequestFailedException(Completion completion) {
        super("queue pair " + completion.qpNumber() + ": a request ended in " + completion.status());
    }
}
