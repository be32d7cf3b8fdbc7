package io.verbena.nic.verbs;

import io.verbena.nic.port.NicId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * Something that happened outside any work request ({@code ibv_get_async_event(3)}). Whoever takes an event
 * acknowledges it: an object is not destroyed while events of it are taken and not acknowledged, so that the code which
 * handles one never meets an object that has gone under it.
 *
 * <pre>{@code
 *   AsyncEvent event = nic.pollAsyncEvent();
 *   if (event != null) {
 *     handle(event);
 *     event.acknowledge();
 *   }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class AsyncEvent {
    private static final VarHandle ACKNOWLEDGED;

    static {
        try {
            ACKNOWLEDGED = MethodHandles.lookup().findVarHandle(AsyncEvent.class, "acknowledged", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AsyncEventType type;
    private final long element;
    private final Consumer<AsyncEvent> whenAcknowledged;

    @SuppressWarnings("unused") // through ACKNOWLEDGED
    private volatile boolean acknowledged;

    /**
     * Made by the NIC.
     *
     * @param whenAcknowledged called once, by the thread that acknowledges it
     */
    public AsyncEvent(AsyncEventType type, long element, Consumer<AsyncEvent> whenAcknowledged) {
        this.type = type;
        this.element = element;
        this.whenAcknowledged = whenAcknowledged;
    }

    /** What happened. */
    public AsyncEventType type() {
        return type;
    }

    /**
     * Number of the queue pair, completion queue, shared receive queue or append queue concerned
     * ({@link AsyncEventType#element} says which); the peer NIC's identity for PORT events, the index of the engine for
     * DEVICE_FATAL.
     */
    public long element() {
        return element;
    }

    /**
     * Says that the event has been dealt with ({@code ibv_ack_async_event(3)}); any thread, also after the NIC was
     * closed.
     *
     * @throws IllegalStateException if that was said before
     */
    public void acknowledge() {
        if (!ACKNOWLEDGED.compareAndSet(this, false, true)) {
            throw new IllegalStateException(this + " was acknowledged before");
        }
        whenAcknowledged.accept(this);
    }

    /** Whether it has been acknowledged. */
    public boolean isAcknowledged() {
        return acknowledged;
    }

    @Override
    public String toString() {
        return type + " of " + type.element().text() + " "
                + (type.element() == AsyncEventType.Element.PORT ? NicId.text(element) : Long.toString(element));
    }
}
