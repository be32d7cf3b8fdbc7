package io.verbena.papers.receive;

import io.verbena.nic.Nic;

/** A way to receive: makes the two ends. Both must be made of the same. Immutable; any thread. */
public interface Scheme {
    /** What it is called in tables. */
    String label();

    /** Opens the receiving end on a NIC. */
    ReceiveScheme receiver(Nic nic);

    /** Opens a sending end on a NIC, for one receiver. */
    SendScheme sender(Nic nic);
}
