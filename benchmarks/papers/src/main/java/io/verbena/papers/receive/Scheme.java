package io.verbena.papers.receive;

import io.verbena.nic.Nic;

/** A way to receive: makes the two ends. Both must be made of the same. Any thread, once it is made. */
public abstract class Scheme {
    SchemeSettings settings = SchemeSettings.DEFAULT;

    /** Takes other queue pairs; before any end is opened. */
    public final Scheme with(SchemeSettings other) {
        settings = other;
        return this;
    }

    /** What it is called in tables. */
    public abstract String label();

    /** Opens the receiving end on a NIC. */
    public abstract ReceiveScheme receiver(Nic nic);

    /** Opens a sending end on a NIC, for one receiver. */
    public abstract SendScheme sender(Nic nic);
}
