/** Paths side by side: rounds that alternate between them, each in JVMs of its own, and the ratio of their medians. */
@NullMarked
package io.verbena.bench.compare;

import org.jspecify.annotations.NullMarked;
