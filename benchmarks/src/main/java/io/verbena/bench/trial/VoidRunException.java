package io.verbena.bench.trial;

import io.verbena.bench.BenchException;

/** A measurement whose figures would mislead; the message says why. */
final class VoidRunException extends BenchException {
    VoidRunException(String message) {
        super(message);
    }
}
