/** {@code verbena bench} and {@code verbena check} with their subcommands. */
@NullMarked
package io.verbena.bench.command;

import org.jspecify.annotations.NullMarked;
