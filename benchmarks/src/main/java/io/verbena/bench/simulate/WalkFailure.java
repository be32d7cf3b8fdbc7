package io.verbena.bench.simulate;

/** The NIC did what the model says it must not. */
final class WalkFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WalkFailure(String message) {
        super(message);
    }
}
