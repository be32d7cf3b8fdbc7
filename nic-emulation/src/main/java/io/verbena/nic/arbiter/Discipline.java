package io.verbena.nic.arbiter;

import org.agrona.concurrent.NanoClock;

/** How an engine chooses who sends next. */
public enum Discipline {
    /** Weighted groups and flows by data chunks, with byte deficits: shares are exact for all sizes. */
    CHUNKS,
    /** Groups in turn, in each flows in turn, a quantum of bytes a visit with deficits; no weights. */
    DEFICIT_ROUND_ROBIN,
    /** Data chunks as Palos prints them: combined until the chunk is met, idle flows in the sum of weights. */
    PALOS_AS_PRINTED,
    /** Flows in turn, a packet a visit: a commodity NIC. */
    PACKET_ROUND_ROBIN,
    /** Packets in turn below software that has one chunk of a flow under way. */
    SOFTWARE_CHUNKING,
    /** Eight lanes by group, weighted; packets in turn in each. */
    VIRTUAL_LANES;

    /**
     * Makes an engine's arbiter.
     *
     * @param settings that concern it, whatever discipline they name
     * @param engine its number in the NIC, from 0
     * @param engines of the NIC
     * @param clock of ceilings and of what is timed
     */
    public Arbiter create(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        return switch (this) {
            case CHUNKS -> new ChunkArbiter(settings, engine, engines, clock);
            case DEFICIT_ROUND_ROBIN -> new DeficitRoundRobin(settings, engine, engines, clock);
            case PALOS_AS_PRINTED -> new PalosAsPrinted(settings, engine, engines, clock);
            case PACKET_ROUND_ROBIN -> new PacketRoundRobin(settings, engine, engines, clock);
            case SOFTWARE_CHUNKING -> new SoftwareChunking(settings, engine, engines, clock);
            case VIRTUAL_LANES -> new VirtualLanes(settings, engine, engines, clock);
        };
    }
}
