package io.verbena.dispatch;

import java.util.function.BooleanSupplier;

/** Messages of an inbox and the callback that takes them; its {@code toString} says for the log whose they are. */
public interface CallbackSource {
    /** Those that its own is one of. */
    TenantCallbacks callbacks();

    /** Calls back with a bounded number of messages. @return how many were taken */
    int callBack();

    /** Whether the callback would find a message. Any thread. */
    boolean hasWork();

    /** Whether a turn of the node would hand a message to the callback. By the node. */
    boolean hasWorkForNode();

    /** Whether nothing is there that was not taken. Any thread; false may be a message that is on its way. */
    boolean isDrained();

    /** When a message is tried again that the callback has left, or {@link Long#MAX_VALUE}. */
    long nextAttempt();

    /** What the node looks at before it sleeps; the same object each time. */
    BooleanSupplier callbackCheck();

    /** What threads that wait for the node look at before it sleeps; the same object each time. */
    BooleanSupplier parkCheck();
}
