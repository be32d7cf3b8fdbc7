package io.verbena.bench;

import io.verbena.verification.RunException;

/** What was asked for does not exist on this machine, or not yet: no failure, but no figures either. */
public final class NotAvailableException extends RunException {
    /** Creates one. */
    public NotAvailableException(String message) {
        super(message);
    }
}
