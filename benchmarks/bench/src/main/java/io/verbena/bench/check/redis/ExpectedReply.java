package io.verbena.bench.check.redis;

/** What a command does to the model, and so what its reply must be. */
@FunctionalInterface
interface ExpectedReply {
    /** Advances the model; called once, when the reply begins. */
    Expected apply();

    /** The connection died with the command perhaps executed, and nobody will read its reply. */
    default void lost() {}

    /** The command was never sent, or was refused and not executed. */
    default void dropped() {}
}
