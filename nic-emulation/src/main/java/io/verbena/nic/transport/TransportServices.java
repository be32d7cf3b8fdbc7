package io.verbena.nic.transport;

import io.verbena.nic.append.Appender;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryTable;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import org.jspecify.annotations.Nullable;

/** What the state machines of this package need of the engine that drives them. All under its baton. */
public interface TransportServices {
    /** The time of the present turn, in nanoseconds. */
    long now();

    /** The region of a local key, or null if there is none. */
    @Nullable
    MemoryRegion region(int key);

    /**
     * What a peer's request names: a region, or a window that is reached through the queue pair; null if there is none.
     */
    @Nullable
    MemoryRegion remoteRegion(int key, int qpNumber);

    /** The NIC's regions and windows. */
    MemoryTable regions();

    /** The NIC's address handles. */
    AddressTable addresses();

    /** The path to a NIC; made if there is none. */
    Path path(long peerNic);

    /** Identity of this NIC. */
    long nicId();

    /** Appends to this NIC's own queues. */
    Appender appender();

    /** Writes a completion; an overrun becomes an asynchronous event. */
    void complete(
            CompletionRing ring,
            long wrId,
            int status,
            int opcode,
            int flags,
            int qpNumber,
            int peerQp,
            int byteLength,
            int immediate,
            int vendorError);

    /** The peer at the end of a path has something new: its link is flushed, and it is woken if it sleeps. */
    void touch(Path path);

    /** Counts one. */
    void count(NicCounter counter);

    /** Counts several at once. */
    void count(NicCounter counter, int n);

    /** Raises an asynchronous event; the type says what the element is. */
    void event(AsyncEventType type, long element);

    /**
     * A queue pair is connected along a path, or its path has got another link: what it sends fills that one's output.
     */
    void attach(QpContext qp);

    /** A path has got a link: who waited for one is scheduled. */
    void unblock(Path path);

    /** All that a queue pair has sent was answered, or is to be sent again, or never will be. */
    void nothingUnderWay(QpContext qp);

    /** A queue pair has something to send that the arbiter decides on. */
    void schedule(QpContext qp);

    /** A queue pair has an acknowledgement to send. */
    void acknowledge(QpContext qp);

    /** Calls {@link QpContext#onTimer} at the deadline, or before. */
    void arm(QpContext qp, long deadlineNanos);

    /**
     * The work of a queue pair has ended in an exception: it alone goes to ERR, with that as the reason, and its stack
     * is logged. Throws nothing.
     */
    void broken(QpContext qp, Throwable cause);

    /** A queue pair's state or access has changed: peers with a direct path must see it. */
    void publishState(QpContext qp);
}
