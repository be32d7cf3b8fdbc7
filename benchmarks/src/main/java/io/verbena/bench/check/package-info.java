/** Loads against the whole that judge every answer: {@code verbena check}. */
@NullMarked
package io.verbena.bench.check;

import org.jspecify.annotations.NullMarked;
