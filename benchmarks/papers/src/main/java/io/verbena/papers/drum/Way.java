package io.verbena.papers.drum;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;

/** How connections share a host's NIC: DRUM's three (V-A), and what tells what its rates do from what chunks do. */
enum Way {
    /** A queue pair a connection, on a card that takes queue pairs in turn by packets. */
    RAW("RAW", Discipline.PACKET_ROUND_ROBIN),
    /** The same with this project's arbiter, without rates. */
    CHUNKS("RAW, by chunks", Discipline.CHUNKS),
    /** Five connections a queue pair, behind a lock. */
    SHARE("SHARE", Discipline.PACKET_ROUND_ROBIN),
    /** Five connections a queue pair, by way of an agent; rates by utility. */
    DRUM("DRUM", Discipline.CHUNKS);

    final String title;
    private final Discipline discipline;

    Way(String title, Discipline discipline) {
        this.title = title;
        this.discipline = discipline;
    }

    /** The arbiter of its NICs. */
    ArbiterSettings settings() {
        return ArbiterSettings.defaults().withDiscipline(discipline);
    }

    /** Threads of a host on which applications have so many. */
    int threads(int applications) {
        return this == DRUM ? applications + DrumAgent.THREADS : applications;
    }
}
