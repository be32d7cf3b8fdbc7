package io.verbena.papers.palos;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import java.util.List;
import java.util.Map;

/** The disciplines that are put beside each other. */
final class Disciplines {
    private static final int QUANTUM = 16 * 1024; // as a NIC has by default

    /** Ours first. */
    static final List<Discipline> ALL = List.of(
            Discipline.CHUNKS,
            Discipline.DEFICIT_ROUND_ROBIN,
            Discipline.PALOS_AS_PRINTED,
            Discipline.PACKET_ROUND_ROBIN,
            Discipline.SOFTWARE_CHUNKING,
            Discipline.VIRTUAL_LANES);

    private Disciplines() {}

    /** What belongs to a discipline. */
    static <T> T of(Map<Discipline, T> values, Discipline discipline) {
        T value = values.get(discipline);
        if (value == null) {
            throw new IllegalArgumentException("nothing of " + discipline);
        }
        return value;
    }

    /** A discipline for people. */
    static String title(Discipline discipline) {
        return switch (discipline) {
            case CHUNKS -> "chunks";
            case DEFICIT_ROUND_ROBIN -> "deficit round robin";
            case PALOS_AS_PRINTED -> "Palos as printed";
            case PACKET_ROUND_ROBIN -> "packet round robin";
            case SOFTWARE_CHUNKING -> "software chunking";
            case VIRTUAL_LANES -> "virtual lanes";
            case WHOLE_MESSAGES -> "whole messages";
        };
    }

    /** A NIC's defaults; N of what is printed is the number of queue pairs times 1500 bytes (V). */
    static ArbiterSettings settings(Discipline discipline) {
        return ArbiterSettings.defaults().withDiscipline(discipline).withQuantum(QUANTUM);
    }

    /**
     * The same on a link of some frames; N of what is printed is the number of queue pairs times the frames' MTU, if
     * longer.
     */
    static ArbiterSettings settings(Discipline discipline, Frames frames, int queuePairs) {
        ArbiterSettings settings = settings(discipline);
        return discipline == Discipline.PALOS_AS_PRINTED
                ? settings.withChunkTotal(queuePairs * Math.max(ArbiterSettings.MTU, frames.mtu()))
                : settings;
    }
}
