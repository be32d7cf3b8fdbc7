/** What a person sees of a comparison, while it runs and after it: progress, Markdown tables, JSON and plots. */
@NullMarked
package io.verbena.bench.report;

import org.jspecify.annotations.NullMarked;
