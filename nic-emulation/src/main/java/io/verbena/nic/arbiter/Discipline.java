package io.verbena.nic.arbiter;

/**
 * How an engine chooses who sends next. {@link #CHUNKS} alone knows ceilings and floors of groups, and rate limits of
 * flows; the others, which are there to be compared with, leave the former out of account and refuse the latter.
 */
public enum Discipline {
    /** Weighted groups and flows by data chunks, with byte deficits: shares are exact for all sizes. */
    CHUNKS,
    /** Groups in turn, in each flows in turn, a quantum of bytes a visit with deficits; no weights. */
    DEFICIT_ROUND_ROBIN,
    /**
     * Data chunks as Palos prints them: messages cut and combined to exactly the chunk, in bytes of payload; idle flows
     * are in the sum of weights.
     */
    PALOS_AS_PRINTED,
    /** The same on packets that cannot be cut: a chunk ends with the packet that meets it, and headers are charged. */
    PALOS_ON_WHOLE_PACKETS,
    /** Flows in turn, a packet a visit: a commodity NIC. */
    PACKET_ROUND_ROBIN,
    /** Packets in turn below software that has one chunk of a flow under way. */
    SOFTWARE_CHUNKING,
    /** Eight lanes by group, weighted; packets in turn in each. */
    VIRTUAL_LANES,
    /** Flows in turn, a message a visit: a commodity NIC, as others see it. */
    WHOLE_MESSAGES
}
