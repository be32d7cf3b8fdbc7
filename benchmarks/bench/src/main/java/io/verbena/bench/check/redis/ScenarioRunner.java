package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets the scenarios run in turn: a round begins on all threads when the last player has ended the one before. The
 * first pass is in the order of the list, later ones are shuffled. Methods are called by the players, on their threads;
 * whoever ends a round as the last begins the next.
 */
final class ScenarioRunner {
    private final Run run;
    private final List<ScenarioPlayer> players = new ArrayList<>();
    private final List<Scenario> scenarios;
    private final Random random;
    private final AtomicInteger awaited = new AtomicInteger();
    private final Map<String, Integer> rounds = new TreeMap<>();
    private int scenario;
    private int round = -1;
    private volatile boolean passed;

    ScenarioRunner(Run run, List<Scenario> scenarios) {
        this.run = run;
        this.scenarios = new ArrayList<>(scenarios);
        this.random = new Random(Seeds.mix(run.context().seed()));
    }

    /** Adds a player, before any is started. */
    void add(ScenarioPlayer player) {
        players.add(player);
        awaited.incrementAndGet();
    }

    /** A player has its first connection, or has nothing to do. */
    void ready() {
        ended();
    }

    /** A player has ended its round. */
    void ended() {
        if (awaited.decrementAndGet() == 0) {
            advance();
        }
    }

    /** Whether every scenario has had its turn. */
    boolean hasPassed() {
        return passed;
    }

    /** The load is over. */
    void end() {
        for (ScenarioPlayer each : players) {
            each.loop().execute(each::end);
        }
    }

    int playing() {
        return awaited.get();
    }

    /** Rounds by scenario; to be asked when all is over. */
    synchronized Map<String, Integer> rounds() {
        return new TreeMap<>(rounds);
    }

    private synchronized void advance() {
        if (run.isEnding()) {
            return;
        }
        if (round >= 0) {
            rounds.merge(scenarios.get(scenario).name(), 1, Integer::sum);
        }
        round++;
        if (round == scenarios.get(scenario).rounds()) {
            round = 0;
            scenario++;
            if (scenario == scenarios.size()) {
                scenario = 0;
                passed = true;
                Collections.shuffle(scenarios, random);
            }
        }
        Scenario next = scenarios.get(scenario);
        int of = round;
        int count = Math.min(next.clients(), players.size());
        awaited.set(count);
        for (int i = 0; i < count; i++) {
            ScenarioPlayer player = players.get(i);
            player.loop().execute(() -> player.begin(next, of));
        }
    }
}
