package io.verbena.nic.arbiter;

/**
 * What a scheduling discipline is made with. Immutable; each discipline looks at what concerns it.
 *
 * @param discipline how an engine chooses
 * @param unit what shares are shares of
 * @param chunkTotal bytes of one chunk of every active flow together; 0: flows x mtu, kept within 64 KiB and 1 MiB, but
 *     for PALOS_AS_PRINTED
 * @param mtu bytes a flow stands for in the chunk total
 * @param minChunk bytes that a round over a group's flows moves a flow on the mean, at least
 * @param minTurn bytes that a round over the groups moves a group on the mean, at least
 * @param urgentWindow while urgent flows use a link, bulk waits where so many of the link's bytes are unsent, or twice
 *     as many have not been received by the peer; over a network where that is less than what a round trip carries, it
 *     limits bulk
 * @param urgentBurst bytes that a group's urgent flows may be ahead of its share
 * @param softwareChunk bytes under way of a flow, of SOFTWARE_CHUNKING
 * @param virtualLanes of VIRTUAL_LANES
 * @param aloneBudget bytes of a visit while nobody else has work
 * @param maxGroups groups of a NIC
 * @param quantum bytes of a visit, of DEFICIT_ROUND_ROBIN
 */
public record ArbiterSettings(
        Discipline discipline,
        ChargedUnit unit,
        int chunkTotal,
        int mtu,
        int minChunk,
        int minTurn,
        int urgentWindow,
        int urgentBurst,
        int softwareChunk,
        int virtualLanes,
        int aloneBudget,
        int maxGroups,
        int quantum) {
    private static final int KIB = 1024;
    private static final int DEFAULT_QUANTUM = 16 * KIB;

    /** Checks ranges. */
    public ArbiterSettings {
        atLeast("chunk total", chunkTotal, 0);
        atLeast("mtu", mtu, 1);
        atLeast("least chunk", minChunk, 1);
        atLeast("least turn", minTurn, 1);
        atLeast("urgent window", urgentWindow, 1);
        atLeast("urgent burst", urgentBurst, 1);
        atLeast("software chunk", softwareChunk, 1);
        atLeast("virtual lanes", virtualLanes, 1);
        atLeast("budget of who is alone", aloneBudget, 1);
        atLeast("number of groups", maxGroups, 1);
        atLeast("quantum", quantum, 1);
    }

    private static void atLeast(String what, int value, int minimum) {
        if (value < minimum) {
            throw new IllegalArgumentException(what + " " + value + " < minimum " + minimum);
        }
    }

    /** Whether visits are to be timed, because their time is what is charged. */
    public boolean isTimed() {
        return discipline == Discipline.CHUNKS && unit == ChargedUnit.NIC_TIME;
    }

    /** Data chunks by bytes. */
    public static ArbiterSettings defaults() {
        return new ArbiterSettings(
                Discipline.CHUNKS,
                ChargedUnit.BYTES,
                0,
                1500,
                4 * KIB,
                16 * KIB,
                16 * KIB,
                64 * KIB,
                25_000,
                8,
                256 * KIB,
                256,
                DEFAULT_QUANTUM);
    }

    /** The same with another discipline. */
    public ArbiterSettings withDiscipline(Discipline other) {
        return with(other, unit, chunkTotal, minChunk, maxGroups, quantum, urgentWindow);
    }

    /** The same with another unit. */
    public ArbiterSettings withUnit(ChargedUnit other) {
        return with(discipline, other, chunkTotal, minChunk, maxGroups, quantum, urgentWindow);
    }

    /** The same with another chunk total, 0 for the number of flows times the MTU. */
    public ArbiterSettings withChunkTotal(int bytes) {
        return with(discipline, unit, bytes, minChunk, maxGroups, quantum, urgentWindow);
    }

    /** The same with another least mean chunk. */
    public ArbiterSettings withMinChunk(int bytes) {
        return with(discipline, unit, chunkTotal, bytes, maxGroups, quantum, urgentWindow);
    }

    /** The same with another number of groups. */
    public ArbiterSettings withMaxGroups(int groups) {
        return with(discipline, unit, chunkTotal, minChunk, groups, quantum, urgentWindow);
    }

    /** The same with another quantum. */
    public ArbiterSettings withQuantum(int bytes) {
        return with(discipline, unit, chunkTotal, minChunk, maxGroups, bytes, urgentWindow);
    }

    /** The same with another urgent window. */
    public ArbiterSettings withUrgentWindow(int bytes) {
        return with(discipline, unit, chunkTotal, minChunk, maxGroups, quantum, bytes);
    }

    private ArbiterSettings with(Discipline d, ChargedUnit u, int total, int least, int groups, int bytes, int window) {
        return new ArbiterSettings(
                d,
                u,
                total,
                mtu,
                least,
                minTurn,
                window,
                urgentBurst,
                softwareChunk,
                virtualLanes,
                aloneBudget,
                groups,
                bytes);
    }
}
