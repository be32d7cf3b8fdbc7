package io.verbena.bench.check.redis;

import org.jspecify.annotations.Nullable;

/**
 * A load with a name that several players make together, in rounds that all of them begin at the same moment.
 *
 * @param name of it
 * @param clients players that take part, fewer if there are fewer
 * @param rounds number of rounds
 * @param script what they do
 */
record Scenario(String name, int clients, int rounds, Script script) {
    /** What players do. */
    @FunctionalInterface
    interface Script {
        /**
         * The next step of a player.
         *
         * @param player who asks
         * @param rank of the player, from 0
         * @param round from 0
         * @param step of this player in this round, from 0
         * @return null if the player has no more to do in this round
         */
        @Nullable
        Step step(ScenarioPlayer player, int rank, int round, int step);
    }

    /** A scenario in which every player sends one batch a round. */
    static Scenario uniform(String name, int clients, int rounds, BatchOfRound batches) {
        return new Scenario(
                name,
                clients,
                rounds,
                (player, rank, round, step) -> step > 0 ? null : Step.of(batches.batch(player, rank, round)));
    }

    /** A batch a round. */
    @FunctionalInterface
    interface BatchOfRound {
        /** What a player sends in a round. */
        Batch batch(ScenarioPlayer player, int rank, int round);
    }
}
