package io.verbena.nic.arbiter;

/**
 * What a scheduling discipline is made with. Immutable; each discipline looks at what concerns it.
 *
 * @param discipline how an engine chooses
 * @param unit what shares are shares of
 * @param chunkTotal bytes of one chunk of every active flow together; 0: flows x {@link #MTU}, kept within 64 KiB and
 *     1 MiB, but for PALOS_AS_PRINTED and PALOS_ON_WHOLE_PACKETS
 * @param minChunk bytes that a round over a group's flows moves a flow on the mean, at least
 * @param urgentWindow while urgent flows use a link, bulk waits where so many of the link's bytes are unsent, or twice
 *     as many have not been received by the peer; over a network where that is less than what a round trip carries, it
 *     limits bulk
 * @param maxGroups groups of a NIC
 * @param quantum bytes of a visit, of DEFICIT_ROUND_ROBIN
 * @param aloneBudget bytes of a visit while nobody else has work
 */
public record ArbiterSettings(
        Discipline discipline,
        ChargedUnit unit,
        int chunkTotal,
        int minChunk,
        int urgentWindow,
        int maxGroups,
        int quantum,
        int aloneBudget) {
    /** Bytes that a flow stands for in the chunk total, and the packet of baselines that take turns by packets. */
    public static final int MTU = 1500;

    private static final int KIB = 1024;

    /** Checks ranges. */
    public ArbiterSettings {
        atLeast("chunk total", chunkTotal, 0);
        atLeast("minimum chunk", minChunk, 1);
        atLeast("urgent window", urgentWindow, 1);
        atLeast("number of groups", maxGroups, 1);
        atLeast("quantum", quantum, 1);
        atLeast("budget of a flow that is alone", aloneBudget, 1);
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
                Discipline.CHUNKS, ChargedUnit.BYTES, 0, 4 * KIB, 16 * KIB, 256, 16 * KIB, 256 * KIB);
    }

    /** The same with another discipline. */
    public ArbiterSettings withDiscipline(Discipline other) {
        return new ArbiterSettings(other, unit, chunkTotal, minChunk, urgentWindow, maxGroups, quantum, aloneBudget);
    }

    /** The same with another unit. */
    public ArbiterSettings withUnit(ChargedUnit other) {
        return new ArbiterSettings(
                discipline, other, chunkTotal, minChunk, urgentWindow, maxGroups, quantum, aloneBudget);
    }

    /** The same with another chunk total, 0 for the number of flows times the {@link #MTU}. */
    public ArbiterSettings withChunkTotal(int bytes) {
        return new ArbiterSettings(discipline, unit, bytes, minChunk, urgentWindow, maxGroups, quantum, aloneBudget);
    }

    /** The same with another minimum of the mean chunk. */
    public ArbiterSettings withMinChunk(int bytes) {
        return new ArbiterSettings(discipline, unit, chunkTotal, bytes, urgentWindow, maxGroups, quantum, aloneBudget);
    }

    /** The same with another urgent window. */
    public ArbiterSettings withUrgentWindow(int bytes) {
        return new ArbiterSettings(discipline, unit, chunkTotal, minChunk, bytes, maxGroups, quantum, aloneBudget);
    }

    /** The same with another number of groups. */
    public ArbiterSettings withMaxGroups(int groups) {
        return new ArbiterSettings(discipline, unit, chunkTotal, minChunk, urgentWindow, groups, quantum, aloneBudget);
    }

    /** The same with another quantum. */
    public ArbiterSettings withQuantum(int bytes) {
        return new ArbiterSettings(discipline, unit, chunkTotal, minChunk, urgentWindow, maxGroups, bytes, aloneBudget);
    }

    /** The same with another budget of a flow that is alone. */
    public ArbiterSettings withAloneBudget(int bytes) {
        return new ArbiterSettings(discipline, unit, chunkTotal, minChunk, urgentWindow, maxGroups, quantum, bytes);
    }
}
