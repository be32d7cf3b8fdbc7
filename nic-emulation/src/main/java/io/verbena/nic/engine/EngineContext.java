package io.verbena.nic.engine;

import io.verbena.nic.append.TailPointerTable;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.MemoryTable;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.transport.AddressTable;
import io.verbena.nic.verbs.EngineMode;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.concurrent.NanoClock;

/**
 * What the engines of one NIC have in common: its identity, how they are run, and the tables in which they look things
 * up. Immutable.
 *
 * @param nic whose engines they are
 * @param run how they are run
 * @param tables what they look things up in
 * @param counters of the NIC, counted by any thread
 * @param events of the NIC
 */
public record EngineContext(Identity nic, Run run, Tables tables, AtomicLongArray counters, NicEvents events) {
    /**
     * A NIC, as peers and people name it.
     *
     * @param id its identity
     * @param name in texts
     */
    public record Identity(long id, String name) {}

    /**
     * How engines are run.
     *
     * @param mode by whom
     * @param engines how many there are
     * @param clock that their timers go by
     * @param polling makes what says how threads wait
     * @param timesVisits whether arbiters charge a visit's time
     */
    public record Run(
            EngineMode mode, int engines, NanoClock clock, PollStrategy.Factory polling, boolean timesVisits) {}

    /**
     * What engines look things up in.
     *
     * @param control of the NIC
     * @param memory that fabrics bring to peers
     * @param regions by key
     * @param addresses of datagrams' receivers
     * @param appendQueues and who appends to them
     */
    public record Tables(
            ControlBlock control,
            MemoryProvider memory,
            MemoryTable regions,
            AddressTable addresses,
            TailPointerTable appendQueues) {}
}
