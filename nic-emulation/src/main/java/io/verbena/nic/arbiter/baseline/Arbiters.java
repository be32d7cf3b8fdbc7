package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.ChunkArbiter;
import io.verbena.nic.arbiter.Discipline;
import org.agrona.concurrent.NanoClock;

/** Makes the arbiter of each {@link Discipline}. */
public final class Arbiters {
    private Arbiters() {}

    /**
     * Makes an engine's arbiter.
     *
     * @param settings which say the discipline, and what it is made with
     * @param engine its number in the NIC, from 0
     * @param engines of the NIC
     * @param clock of what is timed
     */
    public static Arbiter create(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        return create(settings, engine, engines, clock, clock);
    }

    /**
     * Makes an engine's arbiter.
     *
     * @param settings which say the discipline, and what it is made with
     * @param engine its number in the NIC, from 0
     * @param engines of the NIC
     * @param clock of what is timed
     * @param turn where all other time comes from: one reading may do for a whole turn of the engine
     */
    public static Arbiter create(ArbiterSettings settings, int engine, int engines, NanoClock clock, NanoClock turn) {
        return switch (settings.discipline()) {
            case CHUNKS -> new ChunkArbiter(settings, engine, engines, clock, turn);
            case DEFICIT_ROUND_ROBIN -> new DeficitRoundRobin(settings, engine);
            case PALOS_AS_PRINTED, PALOS_ON_WHOLE_PACKETS -> new PalosAsPrinted(settings, engine);
            case PACKET_ROUND_ROBIN -> new PacketRoundRobin(settings, engine);
            case SOFTWARE_CHUNKING -> new SoftwareChunking(settings, engine);
            case VIRTUAL_LANES -> new VirtualLanes(settings, engine);
            case WHOLE_MESSAGES -> new WholeMessages(settings, engine);
        };
    }
}
