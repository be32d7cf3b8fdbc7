package io.verbena.verification.walk;

/** The NIC did what the model says it must not. */
public final class WalkFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one. */
    public WalkFailure(String message) {
        super(message);
    }
}
