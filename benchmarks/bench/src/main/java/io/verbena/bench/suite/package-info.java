/** JMH suites: posting, polling, round trips and one-way rates of Verbena and, in the same run, of its peers. */
@NullMarked
package io.verbena.bench.suite;

import org.jspecify.annotations.NullMarked;
