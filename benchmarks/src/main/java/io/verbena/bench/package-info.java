/**
 * Benchmarks: JMH suites, peers side by side, {@code perftest} and the figures of the papers. Nothing imports this
 * module; the test that holds the direction of the project's imports lives here, because only here all of it is seen.
 */
@NullMarked
package io.verbena.bench;

import org.jspecify.annotations.NullMarked;
