package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes part in scenarios; beyond the steps that they ask for it does nothing. */
final class ScenarioPlayer extends AuditedPlayer {
    private static final int STRINGS = 500;

    private final List<Slot> slots = new ArrayList<>();
    private final ScenarioRunner runner;
    private final int rank;
    private @Nullable Scenario scenario;
    private int round;
    private int step;
    private @Nullable Batch afterReconnect;
    private boolean waiting;

    ScenarioPlayer(Run run, int id, ScenarioRunner runner, int rank) {
        super(run, id, "scenarios", false);
        this.runner = runner;
        this.rank = rank;
        String stem = run.prefix() + id;
        for (int i = 0; i < STRINGS; i++) {
            slots.add(new Slot(stem, false, i, Kind.STRING));
        }
        slots.add(new Slot(stem, false, STRINGS, Kind.STRING));
        slots.add(new Slot(stem, false, STRINGS + 1, Kind.NUMBER));
    }

    @Override
    List<Slot> slots() {
        return slots;
    }

    /** One of 500 keys for small values. */
    Slot small(int number) {
        return slots.get(number % STRINGS);
    }

    /** The key for large values. */
    Slot large() {
        return slots.get(STRINGS);
    }

    /** The counter. */
    Slot counter() {
        return slots.get(STRINGS + 1);
    }

    /** Begins a round of a scenario. */
    void begin(Scenario next, int of) {
        if (!waiting) {
            return;
        }
        waiting = false;
        scenario = next;
        round = of;
        step = 0;
        next();
    }

    /** The load is over: looks at its keys unless it is under way to that. */
    void end() {
        if (waiting) {
            waiting = false;
            next();
        }
    }

    /** How many players have not ended this round. */
    int playing() {
        return runner.playing();
    }

    @Override
    void load() {
        Scenario now = scenario;
        Batch held = afterReconnect;
        if (held != null) {
            afterReconnect = null;
            send(held);
            return;
        }
        if (now == null) {
            waiting = true;
            runner.ready();
            return;
        }
        Step next = now.script().step(this, rank, round, step++);
        if (next == null) {
            scenario = null;
            waiting = true;
            runner.ended();
        } else {
            take(next);
        }
    }

    private void take(Step next) {
        if (next.fresh()) {
            afterReconnect = next.batch();
            reconnect();
        } else if (next.batch() != null) {
            send(next.batch());
        } else {
            wait(next.pauseSeconds());
        }
    }

    @Override
    public String toString() {
        Scenario now = scenario;
        return super.toString() + (now == null ? "" : ", scenario " + now.name() + " round " + round);
    }
}
