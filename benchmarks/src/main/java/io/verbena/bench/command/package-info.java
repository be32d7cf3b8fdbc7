/** {@code verbena bench} and its subcommands. */
@NullMarked
package io.verbena.bench.command;

import org.jspecify.annotations.NullMarked;
