package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.List;

/** All that connections share. */
final class Shared {
    /** The database of all of it. */
    static final int DATABASE = 0;

    private static final int OF_A_KIND = 3;

    private final List<SharedCounter> counters = new ArrayList<>();
    private final List<SharedRegister> registers = new ArrayList<>();
    private final List<SharedBag> bags = new ArrayList<>();

    Shared(String prefix) {
        for (int i = 0; i < OF_A_KIND; i++) {
            counters.add(new SharedCounter(prefix + "counter:" + i));
            registers.add(new SharedRegister(prefix + "register:" + i));
            bags.add(new SharedBag(prefix + "queue:" + i, true));
            bags.add(new SharedBag(prefix + "set:" + i, false));
        }
    }

    List<SharedCounter> counters() {
        return counters;
    }

    List<SharedRegister> registers() {
        return registers;
    }

    List<SharedBag> bags() {
        return bags;
    }

    /** What was judged, as a line. */
    String summary() {
        return registers.stream().mapToInt(SharedRegister::judged).sum()
                + " register histories, and all counters, queues and sets as they went";
    }
}
