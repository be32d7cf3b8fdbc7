package io.verbena.papers.palos;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.PaperFigure;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The disciplines that are put beside each other, and what a NIC under each of them is set to. */
final class Disciplines {
    private static final int QUANTUM = 16 * 1024; // as a NIC has by default

    /** Ours first. */
    static final List<Discipline> ALL = List.of(
            Discipline.CHUNKS,
            Discipline.DEFICIT_ROUND_ROBIN,
            Discipline.PALOS_AS_PRINTED,
            Discipline.PALOS_ON_WHOLE_PACKETS,
            Discipline.PACKET_ROUND_ROBIN,
            Discipline.SOFTWARE_CHUNKING,
            Discipline.VIRTUAL_LANES);

    /** Each runs as what it is called. */
    static final Disciplines AS_NAMED = new Disciplines(Discipline.CHUNKS, Discipline.CHUNKS);

    private final Discipline broken;
    private final Discipline instead;

    private Disciplines(Discipline broken, Discipline instead) {
        this.broken = broken;
        this.instead = instead;
    }

    /** A figure in which one discipline runs as another. */
    static Mutation mutation(Function<Disciplines, PaperFigure> figure, Discipline broken, Discipline instead) {
        return new Mutation(
                title(broken) + " run as " + title(instead), figure.apply(new Disciplines(broken, instead)));
    }

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
            case PALOS_ON_WHOLE_PACKETS -> "Palos on whole packets";
            case PACKET_ROUND_ROBIN -> "packet round robin";
            case SOFTWARE_CHUNKING -> "software chunking";
            case VIRTUAL_LANES -> "virtual lanes";
            case WHOLE_MESSAGES -> "whole messages";
        };
    }

    /** Whether it serves flows that are marked urgent first. */
    static boolean knowsClasses(Discipline discipline) {
        return discipline == Discipline.CHUNKS || isPalos(discipline);
    }

    private static boolean isPalos(Discipline discipline) {
        return discipline == Discipline.PALOS_AS_PRINTED || discipline == Discipline.PALOS_ON_WHOLE_PACKETS;
    }

    /** A NIC's defaults; N of what is printed is the number of queue pairs times 1500 bytes (V). */
    ArbiterSettings settings(Discipline discipline) {
        return ArbiterSettings.defaults()
                .withDiscipline(discipline == broken ? instead : discipline)
                .withQuantum(QUANTUM);
    }

    /**
     * The same on a link of some frames; N of what is printed is the number of queue pairs times the frames' MTU, if
     * longer.
     */
    ArbiterSettings settings(Discipline discipline, Frames frames, int queuePairs) {
        ArbiterSettings settings = settings(discipline);
        return isPalos(settings.discipline())
                ? settings.withChunkTotal(queuePairs * Math.max(ArbiterSettings.MTU, frames.mtu()))
                : settings;
    }
}
