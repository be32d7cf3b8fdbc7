/**
 * The command table: what the proxy knows about each command, as data.
 *
 * <p>One row says name, arity, flags, key positions, how the command is split over shards, and what executes it.
 * Dispatch, arity errors, {@code COMMAND} with its subcommands and the statistics all read the same rows.
 */
@NullMarked
package io.verbena.redis.command;

import org.jspecify.annotations.NullMarked;
