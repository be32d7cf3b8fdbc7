package io.verbena.bench;

/** What was asked for does not exist on this machine, or not yet: no failure, but no figures either. */
public final class NotAvailableException extends BenchException {
    /** Creates one. */
    public NotAvailableException(String message) {
        super(message);
    }
}
