/**
 * One measurement of one path, in JVMs of its own:
 *
 * <pre>
 *   Trial ── starts ──▶ near end (measures, prints figures) ── starts ──▶ far end (answers, or only takes)
 *         └─ starts ──▶ busy processes, if asked for
 *
 *   JavaProcess ── role, setting in JSON ──▶ ChildCommand
 *               ◀── result in JSON, a line ─┘
 * </pre>
 *
 * Each process ends when the one that started it does: it watches its standard input.
 */
@NullMarked
package io.verbena.bench.trial;

import org.jspecify.annotations.NullMarked;
