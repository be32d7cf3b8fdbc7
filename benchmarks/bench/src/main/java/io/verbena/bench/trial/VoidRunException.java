package io.verbena.bench.trial;

import io.verbena.verification.RunException;

/** A measurement whose figures would mislead; the message says why. */
final class VoidRunException extends RunException {
    VoidRunException(String message) {
        super(message);
    }
}
