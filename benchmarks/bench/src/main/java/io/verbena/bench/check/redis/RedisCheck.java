package io.verbena.bench.check.redis;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs the load against a server that is there. */
public final class RedisCheck {
    private static final long LOOK_MILLIS = 50;
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** The scenarios are alone for a pass, but no longer than this part of the time. */
    private static final int FIRST_PART = 3;

    private static final double MAX_SHARE = 0.25;

    private final Run run;
    private final Consumer<String> progress;
    private final Supplier<@Nullable String> trouble;
    private final List<ClientLoop> loops = new ArrayList<>();
    private final List<Player> players = new ArrayList<>();
    private final ScenarioRunner scenarios;
    private final Shared shared;
    private final long began = System.nanoTime();
    private long commandsBefore;
    private long bytesBefore;
    private long progressAt = began;

    /**
     * Prepares one.
     *
     * @param context what to do
     * @param progress takes a line every few seconds
     * @param trouble asked now and then what is wrong with the server otherwise; null for nothing
     */
    public RedisCheck(RedisCheckContext context, Consumer<String> progress, Supplier<@Nullable String> trouble) {
        context.conclude();
        // Another run's keys and values have other names, also if it has the same seed.
        this.run = new Run(context, (int) Seeds.mix(System.nanoTime() ^ context.seed()));
        this.progress = progress;
        this.trouble = trouble;
        this.scenarios = new ScenarioRunner(run, Scenarios.of(run));
        this.shared = new Shared(run.prefix());
        populate();
    }

    private void populate() {
        RedisCheckContext context = run.context();
        int clients = context.clients;
        boolean onlyScenarios = !context.scenarios.isEmpty();
        int together = onlyScenarios ? clients : Math.max(12, clients / 4);
        int bulk = Math.max(2, clients / 32);
        int small = Math.max(2, clients / 12);
        long quarter = (long) (context.maxData * MAX_SHARE);
        for (int i = 0; i < together; i++) {
            ScenarioPlayer player = new ScenarioPlayer(run, players.size(), scenarios, i);
            scenarios.add(player);
            players.add(player);
        }
        if (onlyScenarios) {
            return;
        }
        for (int i = 0; i < bulk + small; i++) {
            players.add(new TenantPlayer(run, players.size(), i < bulk, quarter / bulk));
        }
        for (int i = 0; i < Math.max(4, clients / 10); i++) {
            players.add(new SharedPlayer(run, players.size(), shared));
        }
        int giant = (int) Math.min(context.maxValue(), quarter);
        int own = clients - players.size();
        int largest = (int) Math.max(1024, Math.min(context.maxValue(), quarter / Math.max(1, own)));
        for (int i = 0; i < own; i++) {
            players.add(new OwnKeysPlayer(run, players.size(), i == 0 ? giant : largest));
        }
    }

    /** Runs it all. */
    public RedisCheckResult run() throws InterruptedException {
        RedisCheckContext context = run.context();
        try {
            for (int i = 0; i < context.threads(); i++) {
                loops.add(new ClientLoop(run, i));
            }
        } catch (IOException e) {
            throw new RunException("cannot open a selector: " + e.getMessage(), e);
        }
        try {
            for (ClientLoop each : loops) {
                each.start();
            }
            play(new OpeningPlayer(run, players.size()));
            long loadBegan = System.nanoTime();
            long nanos = (long) (context.seconds() * 1e9);
            start(ScenarioPlayer.class::isInstance);
            watch(loadBegan + nanos / FIRST_PART, scenarios::hasPassed);
            start(player -> !(player instanceof ScenarioPlayer));
            watch(loadBegan + nanos, () -> false);
            if (!context.scenarios.isEmpty()) { // where there is nothing else, one round of all that was asked for
                watch(loadBegan + nanos + context.stallNanos(), scenarios::hasPassed);
            }
            run.end();
            if (!run.hasFailed()) { // else there may be players that were never started
                scenarios.end();
            }
            await(players);
            play(new ClosingPlayer(run, players.size(), shared));
        } finally {
            for (ClientLoop each : loops) {
                each.stop();
            }
        }
        String failure = run.failure();
        return new RedisCheckResult(
                failure == null ? null : failure + "\n  replay      " + context.replay(),
                new Summary(run, scenarios.rounds(), shared, (System.nanoTime() - began) / 1e9).lines());
    }

    private void watch(long until, BooleanSupplier early) throws InterruptedException {
        while (!run.hasFailed() && !early.getAsBoolean() && System.nanoTime() - until < 0) {
            look();
        }
    }

    private void start(Predicate<Player> which) {
        for (int i = 0; i < players.size(); i++) {
            if (which.test(players.get(i))) {
                start(players.get(i), loops.get(i % loops.size()));
            }
        }
    }

    private static void start(Player player, ClientLoop loop) {
        loop.execute(() -> player.start(loop));
    }

    /** Lets a player play alone, unless something is wrong already. */
    private void play(Player player) throws InterruptedException {
        if (!run.hasFailed()) {
            start(player, loops.get(0));
            await(List.of(player));
        }
    }

    private void await(List<Player> awaited) throws InterruptedException {
        long until = System.nanoTime() + 4 * run.context().stallNanos() + TimeUnit.MINUTES.toNanos(1);
        while (!run.hasFailed() && awaited.stream().anyMatch(each -> !each.isDone())) {
            if (System.nanoTime() - until > 0) {
                run.fail("these connections have not come to their end in time: "
                        + awaited.stream()
                                .filter(each -> !each.isDone())
                                .limit(10)
                                .toList());
            }
            look();
        }
    }

    private void look() throws InterruptedException {
        Thread.sleep(LOOK_MILLIS);
        String wrong = trouble.get();
        if (wrong != null) {
            run.fail(wrong);
        }
        long now = System.nanoTime();
        if (now - progressAt >= PROGRESS_NANOS) {
            RedisTally tally = run.tally();
            double seconds = (now - progressAt) / 1e9;
            long bytes = tally.bytesIn.sum() + tally.bytesOut.sum();
            progress.accept(String.format(
                    Locale.ROOT,
                    "%5.0f s  %,9.0f commands/s  %,7.1f MB/s  %d connections  %,d deaths",
                    (now - began) / 1e9,
                    (tally.replies.sum() - commandsBefore) / seconds,
                    (bytes - bytesBefore) / seconds / 1e6,
                    tally.connections.sum(),
                    tally.deaths.sum()));
            commandsBefore = tally.replies.sum();
            bytesBefore = bytes;
            progressAt = now;
        }
    }
}
